package master_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// Each input in each state. In the states serving and deposed, a request of session 2, Seq 1 waits. In the
// state recovering, a KeepAlive of session 2 waits for authority. The table has the answer that the client
// gets.
func TestEachInputInEachState(t *testing.T) {
	const none = api.Code(0)
	reach := map[master.State]func(*rig){
		master.Following: func(r *rig) { r.m.Tenure(master.Tenure{Leader: 3}); r.take() },
		master.Electing:  func(r *rig) { r.elect(5) },
		master.Serving:   func(r *rig) { r.serve(5); r.session(1); r.request(9, put(1, 2, 1)) },
	}
	reach[master.Recovering] = func(r *rig) {
		r.recover(5)
		r.request(9, api.Request{ID: 1, Session: 2, Op: api.KeepAlive{}})
	}
	reach[master.Deposed] = func(r *rig) {
		reach[master.Serving](r)
		r.apply(command.Epoch{Master: 2, Ballot: rows.Ballot{Round: 8, Node: 2}})
	}
	tenure := func(leader uint32, b rows.Ballot, mine bool) func(*rig) {
		return func(r *rig) {
			r.m.Tenure(master.Tenure{Leader: leader, Ballot: b, Mine: mine})
		}
	}
	epoch := func(node uint32, b rows.Ballot) func(*rig) {
		return func(r *rig) { r.apply(command.Epoch{Master: node, Ballot: b}) }
	}
	other := rows.Ballot{Round: 9, Node: 3}
	type want struct {
		state    master.State
		told     api.Code
		hint     uint32
		proposes int
	}
	for _, c := range []struct {
		input string
		do    func(*rig)
		want  map[master.State]want
	}{
		{"another leads", tenure(3, other, false), map[master.State]want{
			master.Following:  {master.Following, none, 3, 0},
			master.Electing:   {master.Following, none, 3, 0},
			master.Recovering: {master.Following, api.NotMaster, 3, 0},
			master.Serving:    {master.Following, api.NotMaster, 3, 0},
			master.Deposed:    {master.Following, api.NotMaster, 3, 0},
		}},
		{"no leader", tenure(0, rows.Ballot{}, false), map[master.State]want{
			master.Following:  {master.Following, none, 0, 0},
			master.Electing:   {master.Following, none, 0, 0},
			master.Recovering: {master.Following, api.NotMaster, 0, 0},
			master.Serving:    {master.Following, api.NotMaster, 0, 0},
			master.Deposed:    {master.Following, api.NotMaster, 0, 0},
		}},
		{"leads again, at a higher ballot", tenure(1, ballot(6), true), map[master.State]want{
			master.Following:  {master.Electing, none, 1, 1},
			master.Electing:   {master.Electing, none, 1, 1},
			master.Recovering: {master.Electing, api.NotMaster, 1, 1},
			master.Serving:    {master.Electing, api.NotMaster, 1, 1},
			master.Deposed:    {master.Electing, api.NotMaster, 1, 1},
		}},
		{"told again that it leads", tenure(1, ballot(5), true), map[master.State]want{
			master.Following:  {master.Electing, none, 1, 1}, // here it is told so for the first time
			master.Electing:   {master.Electing, none, 1, 0},
			master.Recovering: {master.Recovering, none, 1, 0},
			master.Serving:    {master.Serving, none, 1, 0},
			master.Deposed:    {master.Deposed, none, 2, 0},
		}},
		{"the epoch of this tenure", epoch(1, ballot(5)), map[master.State]want{
			master.Following:  {master.Following, none, 3, 0},
			master.Electing:   {master.Serving, none, 1, 0},
			master.Recovering: {master.Recovering, api.NotMaster, 1, 0},
			master.Serving:    {master.Serving, api.NotMaster, 1, 0},
			master.Deposed:    {master.Deposed, none, 0, 0},
		}},
		{"the epoch of an earlier tenure of its own", epoch(1, ballot(4)), map[master.State]want{
			master.Following:  {master.Following, none, 3, 0},
			master.Electing:   {master.Electing, none, 1, 0},
			master.Recovering: {master.Deposed, api.NotMaster, 0, 0},
			master.Serving:    {master.Deposed, none, 0, 0},
			master.Deposed:    {master.Deposed, none, 0, 0},
		}},
		{"the epoch of another", epoch(3, other), map[master.State]want{
			master.Following:  {master.Following, none, 3, 0},
			master.Electing:   {master.Electing, none, 1, 0},
			master.Recovering: {master.Deposed, api.NotMaster, 3, 0},
			master.Serving:    {master.Deposed, none, 3, 0},
			master.Deposed:    {master.Deposed, none, 3, 0},
		}},
		{"the epoch of another with this ballot", epoch(2, ballot(5)), map[master.State]want{
			master.Following:  {master.Following, none, 3, 0},
			master.Electing:   {master.Electing, none, 1, 0},
			master.Recovering: {master.Deposed, api.NotMaster, 2, 0},
			master.Serving:    {master.Deposed, none, 2, 0},
			master.Deposed:    {master.Deposed, none, 2, 0},
		}},
		{"rows of a later epoch are installed", func(r *rig) {
			tx := r.db.Begin()
			e := rows.NextEpoch(tx, 3, other)
			tx.Commit()
			r.m.Installed(e)
		}, map[master.State]want{
			master.Following:  {master.Following, none, 3, 0},
			master.Electing:   {master.Electing, none, 1, 0},
			master.Recovering: {master.Deposed, api.NotMaster, 3, 0},
			master.Serving:    {master.Deposed, none, 3, 0},
			master.Deposed:    {master.Deposed, none, 3, 0},
		}},
		{"rows of the same epoch are installed", func(r *rig) { r.m.Installed(rows.GetEpoch(r.db)) }, map[master.State]want{
			master.Following:  {master.Following, none, 3, 0},
			master.Electing:   {master.Electing, none, 1, 0},
			master.Recovering: {master.Deposed, api.NotMaster, 0, 0},
			master.Serving:    {master.Deposed, none, 0, 0},
			master.Deposed:    {master.Deposed, none, 2, 0},
		}},
		{"its own copy is applied", func(r *rig) {
			r.apply(command.Call{Guard: 1, Session: 2, Seq: 1, Op: api.Get{Key: "k"}})
		}, map[master.State]want{
			master.Following:  {master.Following, none, 3, 0},
			master.Electing:   {master.Electing, none, 1, 0},
			master.Recovering: {master.Recovering, none, 1, 0},
			master.Serving:    {master.Serving, api.NotFound, 1, 0},
			master.Deposed:    {master.Deposed, api.Aborted, 2, 0},
		}},
	} {
		for state, want := range c.want {
			t.Run(c.input+"/"+state.String(), func(t *testing.T) {
				r := newRig(t)
				if state == master.Recovering {
					r = newRigWith(t, withLeases())
				}
				reach[state](r)
				require.Equal(t, state, r.m.Status().State)
				require.Empty(t, r.replies)
				before := len(r.taken)
				c.do(r)
				r.take()
				require.Equal(t, want.state, r.m.Status().State)
				require.Equal(t, want.hint, r.m.Status().Hint)
				require.Len(t, r.taken, before+want.proposes)
				if want.told == none {
					require.Empty(t, r.replies)
				} else {
					p := r.reply()
					require.Equal(t, want.told, p.Result.Code)
					require.Equal(t, want.hint, p.Master)
					require.Equal(t, r.m.Status().Epoch, p.Epoch)
				}
				require.Equal(t, rows.GetEpoch(r.db).Number, r.m.Status().Epoch)
			})
		}
	}
}

func TestOnlyAServingMasterTakesRequests(t *testing.T) {
	r := newRig(t)
	r.apply(command.Epoch{Master: 2})
	s := r.session(1)
	r.m.Tenure(master.Tenure{Leader: 3})
	r.request(9, put(1, s, 1))
	p := r.reply()
	require.Equal(t, api.NotMaster, p.Result.Code)
	require.EqualValues(t, 3, p.Master)

	// A client that opens a session needs to know of no epoch.
	opening := api.Request{ID: 1, Op: api.OpenSession{Nonce: api.Nonce{7}}}
	r.request(9, opening)
	p = r.reply()
	require.Equal(t, api.NotMaster, p.Result.Code)
	require.EqualValues(t, 3, p.Master)

	r.elect(5)
	r.request(9, put(2, s, 1))
	p = r.reply()
	require.Equal(t, api.NotMaster, p.Result.Code)
	require.EqualValues(t, 1, p.Master, "ask here again")
	r.request(9, opening)
	require.Equal(t, api.NotMaster, r.reply().Result.Code)
	require.Len(t, r.taken, 1, "the first command of a tenure is its epoch, and nothing is before it")

	r.last()
	p = r.reply()
	require.Equal(t, api.Recovering, p.Result.Code, "the client has asked in vain, and is told that there is a master now")
	require.EqualValues(t, 1, p.Master)
	r.request(9, put(3, s, 1))
	require.Empty(t, r.replies)
	require.Len(t, r.taken, 2)

	r.apply(command.Epoch{Master: 2, Ballot: rows.Ballot{Round: 8, Node: 2}})
	r.request(9, put(4, s, 2))
	p = r.reply()
	require.Equal(t, api.NotMaster, p.Result.Code)
	require.EqualValues(t, 2, p.Master)
	r.request(9, opening)
	p = r.reply()
	require.Equal(t, api.NotMaster, p.Result.Code)
	require.EqualValues(t, 2, p.Master)
	require.Len(t, r.taken, 2)
}

// The epoch guard rejects a write from an earlier tenure (P5.01): the request
// was received in epoch 1; mastership was lost and regained before its command
// was chosen. Negative half: a copy received in epoch 2 is executed.
func TestMastershipLostAndRegainedAbortsWhatWasReceivedBefore(t *testing.T) {
	r := newRig(t)
	r.serve(5)
	s := r.session(1)
	r.request(9, put(1, s, 1))
	old := r.taken[len(r.taken)-1].Command
	r.m.Tenure(master.Tenure{})
	r.take()
	require.Equal(t, api.NotMaster, r.reply().Result.Code)
	r.serve(7)
	r.request(9, put(2, s, 1))
	require.Equal(t, api.Aborted, r.raw(old).Result.Code)
	require.Empty(t, r.replies, "the copy of this tenure is still coming")
	require.Equal(t, api.OK, r.last().Result.Code)
	p := r.reply()
	require.Equal(t, api.OK, p.Result.Code)
	require.EqualValues(t, 2, p.ID)
	require.EqualValues(t, 2, p.Epoch)
}

// If a duplicate of an earlier epoch was executed after all, the later ones repeat its answer. The first of
// them to be applied answers the request that waits now, whichever epoch it was received in.
func TestAnyRepeatedCopyAnswers(t *testing.T) {
	r := newRig(t)
	r.serve(5)
	s := r.session(1)
	r.request(9, put(1, s, 1))
	old := r.taken[len(r.taken)-1].Command
	r.m.Tenure(master.Tenure{})
	r.take()
	require.Equal(t, api.NotMaster, r.reply().Result.Code)
	r.elect(7)
	epoch := r.taken[len(r.taken)-1].Command
	require.Equal(t, command.Executed, r.raw(old).Verdict, "phase 1 found it: it stands below the new epoch")
	r.raw(epoch)
	r.request(10, put(2, s, 1))
	require.Equal(t, command.Repeated, r.raw(old).Verdict, "a second copy of then")
	p := r.reply()
	require.Equal(t, api.OK, p.Result.Code)
	require.EqualValues(t, 2, p.ID)
	require.Equal(t, command.Repeated, r.last().Verdict)
	require.Empty(t, r.replies, "no call waits any more")
}

// A refused command with this tenure's guard answers its call. One with an older guard does not: the command
// of this tenure may still be executed.
func TestARefusalAnswersOnlyItsOwnCopy(t *testing.T) {
	r := newRig(t)
	r.serve(5)
	s := r.session(1)
	r.request(9, put(1, s, 1))
	old := r.taken[len(r.taken)-1].Command
	r.m.Tenure(master.Tenure{})
	r.take()
	r.reply()
	r.serve(6)
	r.request(9, put(2, s, 1))
	proposed := r.taken[len(r.taken)-1].Command
	r.apply(command.Call{Guard: 2, Session: s, Seq: 9, Op: api.EndSession{}})
	require.Equal(t, api.NoSession, r.raw(old).Result.Code)
	require.Empty(t, r.replies)
	r.raw(proposed)
	require.Equal(t, api.NoSession, r.reply().Result.Code)
}

func TestTheEndOfATenureTellsAllWhoWaitInOrder(t *testing.T) {
	r := newRig(t)
	r.serve(5)
	s, later := r.session(1), r.session(2)
	r.request(1, put(11, later, 1))
	r.request(2, put(12, s, 9))
	r.request(3, put(13, s, 4))
	r.m.Tenure(master.Tenure{Leader: 2})
	r.take()
	var ids []uint64
	for _, p := range r.replies {
		require.Equal(t, api.NotMaster, p.Result.Code)
		require.EqualValues(t, 2, p.Master)
		ids = append(ids, p.ID)
	}
	require.Equal(t, []uint64{13, 12, 11}, ids, "by session and Seq")
	require.EqualValues(t, 3, r.m.Status().Counters.Orphans)
}

// Commands that were not handed over when the tenure ended never reach the log, where they would stand
// before the epoch of the next tenure.
func TestProposalsOfAnEndedTenureAreDropped(t *testing.T) {
	r := newRig(t)
	r.serve(5)
	s := r.session(1)
	before := len(r.taken)
	q := put(1, s, 1)
	q.Epoch = 1
	r.m.Request(r.at(), 9, "ann", q) // no TakeOutput
	r.m.Tenure(master.Tenure{Leader: 1, Ballot: ballot(8), Mine: true})
	r.take()
	require.Len(t, r.taken, before+1)
	c, err := command.Decode(string(r.taken[before].Command))
	require.NoError(t, err)
	require.Equal(t, command.Epoch{Master: 1, Ballot: ballot(8)}, c)
	require.Equal(t, api.NotMaster, r.reply().Result.Code)
}

func TestStatesHaveNames(t *testing.T) {
	require.Equal(t, "following electing recovering serving deposed state(9)",
		master.Following.String()+" "+master.Electing.String()+" "+master.Recovering.String()+" "+master.Serving.String()+" "+master.Deposed.String()+" "+master.State(9).String())
}
