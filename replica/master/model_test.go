package master_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// world is three replicas on one log that the test decides. A leader that was
// replaced goes on until it is told. The commands that it proposes in that time, and
// those that were not decided when it was replaced, are limbo: each later leader may
// find any of them in phase 1 and put them below its own first command, or not.
type world struct {
	t        *rapid.T
	log      []string
	limbo    []string
	leader   int
	round    uint64
	seq      api.Seq
	replicas []*replica
	executed map[call]api.Result
	guard    map[call]api.Epoch // of the copy that was executed
	served   map[api.Epoch]int  // the replica that served in an epoch
	sent     map[uint64]call
	answers  map[uint64]api.Result
	aborted  map[call]api.Epoch // the latest epoch in which a copy was told Aborted
}

type call struct {
	session api.SessionID
	seq     api.Seq
}

type replica struct {
	id      int
	m       *master.Master
	db      *db.DB
	applied int
	leads   bool // as far as the replica was told
}

func newWorld(t *rapid.T) *world {
	w := &world{t: t, leader: -1, seq: 1, executed: map[call]api.Result{},
		guard: map[call]api.Epoch{}, served: map[api.Epoch]int{},
		sent: map[uint64]call{}, answers: map[uint64]api.Result{}, aborted: map[call]api.Epoch{}}
	for i := range 3 {
		cfg := plain()
		cfg.ID, cfg.MaxPending = uint32(i+1), 5
		m := master.New(cfg, 0)
		w.replicas = append(w.replicas, &replica{id: i, m: m, db: db.New()})
	}
	return w
}

// flush carries out the output of a replica: commands of the true leader are decided or
// held back, those of a former one become limbo.
func (w *world) flush(r *replica) {
	out := r.m.TakeOutput(time.Time{}, plenty)
	for _, p := range out.Propose {
		switch {
		case !r.leads:
			w.t.Fatalf("replica %d proposes and does not lead", r.id+1)
		case rapid.IntRange(0, 9).Draw(w.t, "full") == 0:
			r.m.Refused(master.At{Rows: r.db}, p, api.Busy)
		case r.id == w.leader:
			w.log = append(w.log, string(p.Command))
		default:
			w.limbo = append(w.limbo, string(p.Command))
		}
	}
	w.hear(append(out.Replies, r.m.TakeOutput(time.Time{}, plenty).Replies...))
}

// hear compares every answer with what has happened.
func (w *world) hear(replies []master.Reply) {
	for _, p := range replies {
		name := w.sent[p.ID]
		require.Equal(w.t, name, call{p.Session, p.Seq})
		if p.Result.Code.Execution() == api.Executed {
			require.Contains(w.t, w.executed, name, "answered %v and never executed", p.Result.Code)
			require.Equal(w.t, w.executed[name], p.Result)
		}
		if p.Result.Code == api.Aborted {
			w.aborted[name] = max(w.aborted[name], p.Epoch)
		}
		if before, ok := w.answers[p.ID]; ok && !(before.Code == api.NotMaster && isNewsOfMaster(p)) {
			w.t.Fatalf("copy %d was answered %v, then %v", p.ID, before.Code, p.Result.Code)
		}
		w.answers[p.ID] = p.Result
	}
}

// isNewsOfMaster reports whether an answer decides nothing about its call and names a master. A replica may
// give such an answer to a call that it has answered before, when it knew no master.
func isNewsOfMaster(p master.Reply) bool {
	return p.Master != 0 && (p.Result.Code == api.NotMaster || p.Result.Code == api.OldEpoch || p.Result.Code == api.Recovering)
}

// step applies the next command of the log at one replica.
func (w *world) step(r *replica) {
	if r.applied == len(w.log) {
		return
	}
	tx := r.db.Begin()
	a := command.Apply(tx, w.log[r.applied])
	tx.Commit()
	r.applied++
	w.note(a)
	r.m.Applied(master.At{Rows: r.db}, a)
	w.flush(r)
	if s := r.m.Status(); s.State == master.Serving {
		who, known := w.served[s.Epoch]
		require.True(w.t, !known || who == r.id, "replicas %d and %d serve in epoch %d", who+1, r.id+1, s.Epoch)
		w.served[s.Epoch] = r.id
	}
}

func (w *world) note(a command.Applied) {
	c, ok := a.Command.(command.Call)
	if !ok || a.Verdict != command.Executed || c.Session == 0 {
		return
	}
	name := call{c.Session, c.Seq}
	if before, ok := w.executed[name]; ok {
		require.Equal(w.t, before, a.Result, "replicas differ, or %v was executed twice", name)
	}
	w.executed[name], w.guard[name] = a.Result, c.Guard
}

// depose makes another replica, or the same one again, the leader.
func (w *world) depose(next int) {
	w.round++
	w.leader = next
	rest := w.limbo[:0:0]
	for _, c := range w.limbo { // the commands that phase 1 finds come first
		if rapid.Bool().Draw(w.t, "found") {
			w.log = append(w.log, c)
		} else {
			rest = append(rest, c)
		}
	}
	w.limbo = rest
	w.tell(w.replicas[next])
}

func (w *world) tell(r *replica) {
	r.leads = r.id == w.leader
	r.m.Tenure(master.Tenure{Leader: uint32(w.leader + 1), Ballot: rows.Ballot{Round: w.round, Node: uint32(w.leader + 1)}, Mine: r.leads})
	w.flush(r)
}

// judge checks the promise of Aborted: of the copies received before that epoch, none was or
// will be executed.
func (w *world) judge() {
	for name, epoch := range w.aborted {
		if guard, ok := w.guard[name]; ok && guard < epoch {
			w.t.Fatalf("%v was executed in epoch %d and told Aborted in epoch %d", name, guard, epoch)
		}
	}
}

func TestThreeMastersOnOneLog(t *testing.T) {
	executed, aborted, served := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		w.log = append(w.log,
			string(command.Append(nil, command.Epoch{Master: 9})),
			string(command.Append(nil, command.Call{Guard: 1, Op: api.OpenSession{Nonce: api.Nonce{1}}, Principal: "ann"})))
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			w.act()
			w.judge()
		}
		executed, aborted, served = executed+len(w.executed), aborted+len(w.aborted), served+len(w.served)
	})
	require.NotZero(t, executed)
	require.NotZero(t, aborted)
	require.NotZero(t, served)
}

// act lets one thing happen to one replica.
func (w *world) act() {
	r := w.replicas[rapid.IntRange(0, 2).Draw(w.t, "replica")]
	switch rapid.SampledFrom([]string{"apply", "catch up", "depose", "tell", "advance", "call", "call"}).Draw(w.t, "what") {
	case "apply":
		w.step(r)
	case "catch up":
		for r.applied < len(w.log) {
			w.step(r)
		}
	case "depose":
		w.depose(r.id)
	case "tell":
		w.tell(r)
	case "advance":
		r.m.Advance(master.At{Rows: r.db})
		w.flush(r)
	case "call":
		w.call(r)
	}
}

// epoch returns an epoch that a client may have heard of, most often that of the replica that it asks.
func (w *world) epoch(r *replica) api.Epoch {
	if rapid.IntRange(0, 5).Draw(w.t, "heard") > 0 {
		return r.m.Status().Epoch
	}
	return rows.GetEpoch(w.replicas[rapid.IntRange(0, 2).Draw(w.t, "of")].db).Number
}

// call sends a copy of the latest call, or of a new one.
func (w *world) call(r *replica) {
	w.seq += api.Seq(rapid.IntRange(0, 1).Draw(w.t, "new"))
	id := uint64(len(w.sent) + 1)
	w.sent[id] = call{2, w.seq}
	r.m.Request(master.At{Rows: r.db}, master.Addr(id), "ann", api.Request{
		ID: id, Session: 2, Seq: w.seq, AckedThrough: w.seq - min(w.seq, 9), Epoch: w.epoch(r), Op: api.Put{Key: "k", Value: "v"},
	})
	w.flush(r)
}
