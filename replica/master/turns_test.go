package master_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
)

// pair is a master that serves ann and bob, and a log with as much room as the test says.
type pair struct {
	*rig
	ann, bob api.SessionID
}

func newPair(t *testing.T, cfg master.Config) *pair {
	r := newRigWith(t, cfg)
	r.elect(5)
	r.last()
	if cfg.Sessions.LeaseMin > 0 {
		r.last()
	}
	c := &pair{rig: r, ann: r.session(1)}
	c.asks("bob", api.Request{ID: 1, Op: api.OpenSession{Nonce: api.Nonce{2}}})
	r.take()
	c.bob = r.last().Result.Session
	r.replies = nil
	return c
}

func (c *pair) asks(who api.Principal, q api.Request) {
	if q.Session != 0 {
		q.Epoch = c.m.Status().Epoch
	}
	c.m.Request(c.at(), 9, who, q)
}

// sends lets the log take room commands, and returns the sessions of their calls.
func (c *pair) sends(room int) (all []api.SessionID) {
	out := c.m.TakeOutput(c.now, room)
	c.replies = append(c.replies, out.Replies...)
	for _, p := range out.Propose {
		c.taken = append(c.taken, p)
		if call, ok := c.what(p).(command.Call); ok {
			all = append(all, call.Session)
		}
	}
	return all
}

func (c *pair) what(p master.Proposal) command.Command {
	tx := c.db.Begin()
	defer tx.Rollback()
	return command.Apply(tx, string(p.Command)).Command
}

// A full log takes commands of the principals in turns, not in the order in which they came.
func TestALogThatIsFullTakesInTurns(t *testing.T) {
	c := newPair(t, plain())
	for seq := range api.Seq(3) {
		c.asks("ann", put(1, c.ann, seq+1))
	}
	c.asks("bob", put(1, c.bob, 1))
	require.Empty(t, c.sends(0))
	require.Equal(t, 4, c.m.Status().Waiting)
	require.Equal(t, []api.SessionID{c.ann, c.bob}, c.sends(9), "and ann sends no more before that was applied")
	require.Equal(t, 2, c.m.Status().Waiting)
	first, second := c.taken[len(c.taken)-2], c.taken[len(c.taken)-1]
	c.decides(second)
	require.Empty(t, c.sends(9))
	c.decides(first)
	require.NotEmpty(t, c.sends(1))
}

func (c *pair) decides(p master.Proposal) {
	tx := c.db.Begin()
	a := command.Apply(tx, string(p.Command))
	tx.Commit()
	c.m.Applied(c.at(), a)
}

// Commands that the log did not take no longer count as in the log.
func TestWhatTheLogDidNotTakeKeepsNobodyFromHisTurn(t *testing.T) {
	c := newPair(t, plain())
	c.asks("ann", put(1, c.ann, 1))
	require.Len(t, c.sends(9), 1)
	c.asks("ann", put(1, c.ann, 2))
	require.Empty(t, c.sends(9))
	c.m.Refused(c.at(), c.taken[len(c.taken)-1], api.Busy)
	require.Len(t, c.sends(9), 1)
}

// No principal has more calls under way than there are places left, so a new one finds some.
func TestNobodyHasMoreUnderWayThanPlacesAreLeft(t *testing.T) {
	c := newPair(t, plain()) // six places
	for seq := range api.Seq(5) {
		c.asks("ann", put(1, c.ann, seq+1))
	}
	c.sends(0)
	require.Len(t, c.replies, 2)
	require.Equal(t, api.Busy, c.replies[0].Code)
	require.Equal(t, 3, c.m.Status().Pending)
	c.asks("bob", put(1, c.bob, 1))
	c.asks("bob", put(1, c.bob, 2))
	c.asks("bob", put(1, c.bob, 3))
	c.sends(0)
	require.Len(t, c.replies, 3, "two are taken: one place is left")
	require.Equal(t, 5, c.m.Status().Pending)
	c.lease = c.now.Add(time.Hour)
	c.asks("ann", put(1, c.ann, 6))
	c.sends(0)
	require.Equal(t, api.Later, c.replies[3].Code, "and with authority, that no other replica is master")
}

// Commands that a master needs to go on granting leases wait behind no call.
func TestKeepAlivesWaitBehindNobody(t *testing.T) {
	c := newPair(t, withLeases())
	for seq := range api.Seq(3) {
		c.asks("ann", put(1, c.ann, seq+1))
	}
	require.Empty(t, c.sends(0))
	c.asks("bob", api.Request{ID: 7, Session: c.bob, Op: api.KeepAlive{AckedEpoch: 1, Now: true}})
	require.Empty(t, c.sends(0), "no call")
	require.IsType(t, command.ConfirmLeadership{}, c.what(c.taken[len(c.taken)-1]), "without authority the log is asked")
	c.lease = c.now.Add(time.Hour)
	c.asks("bob", api.Request{ID: 8, Session: c.bob, Op: api.KeepAlive{AckedEpoch: 1, Now: true}})
	c.sends(0)
	require.NotEmpty(t, c.replies)
	require.Equal(t, api.OK, c.replies[len(c.replies)-1].Code, "with it, none is")
	require.Equal(t, 3, c.m.Status().Waiting)
}

// Commands that wait for their turn are dropped when their tenure ends.
func TestWhatWaitsForItsTurnGoesWithTheTenure(t *testing.T) {
	c := newPair(t, plain())
	c.asks("ann", put(1, c.ann, 1))
	c.sends(0)
	c.m.Tenure(master.Tenure{Leader: 2})
	require.Empty(t, c.sends(9))
	require.Equal(t, api.NotMaster, c.replies[len(c.replies)-1].Code)
	require.Zero(t, c.m.Status().Waiting)
}

// A call that its client has given up before its turn came is not executed: with a slow log, calls that
// clients wait for would wait behind it. The client's other calls and those of others keep their places, and
// so do calls that take or give back a handle or a lock.
func TestWhatIsGivenUpBeforeItsTurnIsNotDone(t *testing.T) {
	r, ann := newNodes(t)
	c := &pair{rig: r, ann: ann}
	token := c.file(ann, 1, "a")
	c.asks("bob", api.Request{ID: 1, Op: api.OpenSession{Nonce: api.Nonce{2}}})
	c.take()
	c.bob = c.last().Result.Session
	c.replies = nil

	seq := api.Seq(1)
	asks := func(op api.Op, seen api.Seq) {
		seq++
		c.asks("ann", api.Request{ID: uint64(seq), Session: ann, Seq: seq, AckedThrough: seen, Op: op})
	}
	asks(api.Put{Key: "k", Value: "v"}, 1)                   // Seq 2
	asks(api.SetContents{Handle: token, Contents: "x"}, 1)   // Seq 3
	asks(api.Acquire{Handle: token, Mode: api.Exclusive}, 1) // Seq 4
	c.asks("bob", put(9, c.bob, 1))
	c.sends(0)
	require.Empty(t, c.replies, "the log is full")
	asks(api.Put{Key: "k", Value: "x"}, 4) // Seq 5
	c.sends(0)
	require.Len(t, c.replies, 2)
	for i, p := range c.replies {
		require.Equal(t, api.Stale, p.Code)
		require.EqualValues(t, i+2, p.Seq)
	}
	require.EqualValues(t, 2, c.m.Status().Counters.GivenUp)

	before := len(c.taken)
	for len(c.sends(9)) > 0 || len(c.taken) > before {
		more := c.taken[before:]
		before = len(c.taken)
		for _, p := range more {
			c.raw(p.Command)
		}
	}
	var done []api.Seq
	for _, p := range c.replies[2:] {
		require.Contains(t, []api.Code{api.OK, api.Stale}, p.Code)
		if p.Session == ann {
			done = append(done, p.Seq)
		}
	}
	require.Equal(t, []api.Seq{4, 5}, done)
	_, holds := lock.HeldBy(c.db, lock.Owner{Session: ann, Handle: api.HandleID{Epoch: 1, Counter: 1}})
	require.True(t, holds, "it is its client's to cancel")

	c.asks("ann", put(7, ann, 2))
	c.sends(9)
	c.last()
	c.take()
	require.Equal(t, api.Stale, c.replies[len(c.replies)-1].Code, "a copy of it comes too late")
}

// A KeepAlive gives calls up as a call does: their commands do not reach the log either.
func TestAKeepAliveTakesBackWhatIsGivenUp(t *testing.T) {
	c := &pair{rig: newLeasedNodes(t, withLeases())}
	c.ann = c.session(1)
	c.asks("bob", api.Request{ID: 1, Op: api.OpenSession{Nonce: api.Nonce{2}}})
	c.take()
	c.bob = c.last().Result.Session
	c.replies = nil
	for seq := range api.Seq(3) {
		c.asks("ann", put(uint64(seq), c.ann, seq+1))
	}
	c.asks("bob", put(9, c.bob, 1))
	require.Empty(t, c.sends(0), "the log is full")
	c.asks("ann", api.Request{ID: 50, Session: c.ann, AckedThrough: 2, Op: api.KeepAlive{AckedEpoch: c.m.Status().Epoch}})
	c.sends(0)
	var stale []api.Seq
	for _, p := range c.replies {
		if p.Code == api.Stale {
			stale = append(stale, p.Seq)
		}
	}
	require.Equal(t, []api.Seq{1, 2}, stale)
	require.EqualValues(t, 2, c.m.Status().Counters.GivenUp)
	require.Equal(t, []api.SessionID{c.ann, c.bob}, c.sends(9))
	require.Zero(t, c.m.Status().Waiting)
}
