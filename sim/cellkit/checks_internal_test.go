package cellkit

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/check/leases"
)

// lie is a cell that has answered a program correctly, and what a test needs to add a wrong fact.
type lie struct {
	*Cell
	t    *testing.T
	c    *client.Client
	node *client.Handle
	lock *client.Lock
}

// lying returns a cell in whose file a program has written twice, and whose lock it holds.
func lying(t *testing.T, cfg Config) *lie {
	w := sim.New(sim.Config{Link: sim.LinkConfig{Delay: sim.Table{time.Millisecond}}})
	t.Cleanup(w.Close)
	l := &lie{Cell: Add(w, cfg), t: t}
	w.Add(sim.MachineConfig{Addr: sim.FirstClient, Process: sim.Program(func(rt *sim.Runtime) {
		ctx := context.Background()
		l.c = NewClient(rt, client.Config{}, l.Cell)
		l.node, _ = l.c.Open(ctx, "/ls/local/f", client.OpenOptions{Rights: client.Read | client.Write, Create: client.CreateMay, LockDelay: time.Second})
		for _, text := range []string{"first", "second"} {
			_, err := l.node.SetContents(ctx, text, 0)
			require.NoError(t, err)
		}
		l.lock, _ = l.node.Acquire(ctx, client.Exclusive)
	})}).Start()
	w.RunFor(20 * time.Second)
	return l
}

// breaks demands that the run is judged, and breaks a property.
func (l *lie) breaks(id, text string) {
	l.t.Helper()
	l.Judge()
	f := l.world.Failure()
	require.NotNil(l.t, f)
	require.Equal(l.t, id, f.ID, f.Text)
	require.Contains(l.t, f.Text, text)
}

// call adds a call of the program's session and an answer, which no replica gave.
func (l *lie) call(op api.Op, r api.Result) {
	q := api.Request{Session: l.c.Status().Session, Seq: 1000, Op: op}
	l.checks.calls.OnSend(q)
	l.checks.calls.OnAnswer(api.Reply{Session: q.Session, Seq: q.Seq, Result: r})
}

func TestACorrectRunIsJudgedSo(t *testing.T) {
	l := lying(t, Config{})
	require.NotNil(t, l.lock)
	l.call(api.GetContents{Handle: api.Token(l.node.Token())}, api.Result{Code: api.OK, Value: "second", Detail: api.NodeStat{}})
	l.Judge()
	l.Judge()
	require.Nil(t, l.world.Failure())
}

func TestAStaleReadIsFound(t *testing.T) {
	l := lying(t, Config{})
	l.call(api.GetContents{Handle: api.Token(l.node.Token())}, api.Result{Code: api.OK, Value: "first", Detail: api.NodeStat{}})
	l.breaks("S4", `"first"`)
}

func TestAnAnswerThatTookEffectNowhereIsFound(t *testing.T) {
	l := lying(t, Config{})
	l.call(api.SetContents{Handle: api.Token(l.node.Token()), Contents: "third"}, api.Result{Code: api.OK, Detail: api.NodeStat{}})
	l.breaks("S3", "took effect nowhere in the log")
}

func TestALockThatIsGivenTwiceIsFound(t *testing.T) {
	l := lying(t, Config{})
	l.call(api.Acquire{Handle: api.Token(l.node.Token()), Mode: api.Exclusive}, api.Result{Code: api.OK, Detail: api.Held{Gen: 99, Acquisition: 99}})
	l.breaks("S3", "took effect nowhere in the log")
}

func TestALockThatIsFreedWithoutItsDelayIsFound(t *testing.T) {
	l := lying(t, Config{})
	l.checks.locks.OnCommand(l.expired(), 99)
	l.breaks("S8", "a lock-delay of 1s was asked for")
}

// A program that reports the lock of another one as its own believes in what it does not hold.
func TestTwoProgramsThatBelieveInOneLockAreFound(t *testing.T) {
	l := lying(t, Config{})
	l.Holds(l.c, l.node, l.lock, client.Exclusive)
	require.Nil(t, l.world.Failure())
	l.world.Add(sim.MachineConfig{Addr: sim.FirstClient + 1, Process: sim.Program(func(rt *sim.Runtime) {
		c := NewClient(rt, client.Config{}, l.Cell)
		h, err := c.Open(context.Background(), "/ls/local/f", client.OpenOptions{Rights: client.Write})
		require.NoError(t, err)
		l.Holds(c, h, l.lock, client.Exclusive)
	})}).Start()
	l.world.RunFor(time.Second)
	l.breaks("S9", "the clients on c1 and c2 both believe to hold the lock of /f")
}

// A program may report a lock more than once: that is one belief.
func TestALockMayBeReportedTwice(t *testing.T) {
	l := lying(t, Config{})
	l.Holds(l.c, l.node, l.lock, client.Exclusive)
	l.Holds(l.c, l.node, l.lock, client.Exclusive)
	l.Judge()
	require.Nil(t, l.world.Failure())
}

func TestALockOfAnotherCellIsRefused(t *testing.T) {
	l := lying(t, Config{Name: "west"})
	east := Add(l.world, Config{Name: "east"})
	require.PanicsWithValue(t, `cellkit: Holds in cell "east" of a Client that NewClient has not made for it`, func() { east.Holds(l.c, l.node, l.lock, client.Exclusive) })
}

// expired is a command that ends the program's session.
func (l *lie) expired() *command.Applied {
	return &command.Applied{Command: command.Expire{Session: l.c.Status().Session}, Verdict: command.Executed, Result: api.Result{Code: api.OK}}
}

func TestASessionThatEndsTooEarlyIsFound(t *testing.T) {
	l := lying(t, Config{})
	l.checks.beliefs.OnCommand(l.expired())
	l.breaks("S11", "its client on c1 counts on it")
	require.NotZero(t, l.checks.beliefs.Ended)
}

// A disk that has lost everything is no disk that only power cuts have touched.
func TestAReplicaThatForgetsIsFound(t *testing.T) {
	l := lying(t, Config{Name: "west"})
	m := l.Machines()[1]
	m.Crash()
	for _, f := range m.Disk().Mem().Files() {
		require.NoError(t, m.Disk().Mem().Lose(f.Name))
	}
	m.Start()
	l.world.RunFor(time.Second)
	l.breaks("S2", "replica 2 comes back in life 0 after life 1")
}

// forgetful is a replica that denies every grant that it has given.
type forgetful struct{ party }

func (p forgetful) Believes() leases.Beliefs { return denial{p.party.Believes()} }

type denial struct{ leases.Beliefs }

func (denial) LeaseGranted() (holder paxos.NodeID, until, silent time.Time) { return }

func TestLeasesAreWatched(t *testing.T) {
	l := lying(t, Config{})
	for i := range l.machines {
		l.checks.leases.Parties[i+1] = forgetful{party{l.checks, i}}
	}
	l.world.RunFor(5 * time.Second)
	l.breaks("S7b", "honours no grant")
}

// What clocks beyond their bound bring about is no fault of the cell.
func TestClocksBeyondTheirBoundAreNotJudged(t *testing.T) {
	l := lying(t, Config{})
	l.call(api.GetContents{Handle: api.Token(l.node.Token())}, api.Result{Code: api.OK, Value: "first", Detail: api.NodeStat{}})
	l.Machines()[2].Clock().SetRate(2_000_000)
	l.Machines()[2].Clock().SetRate(0)
	l.Judge()
	require.Nil(t, l.world.Failure())
}

// The calls of a client that the cell does not know are taken from the log.
func TestACallOfAnUnknownClientIsTakenFromTheLog(t *testing.T) {
	l := lying(t, Config{})
	l.checks.onExecuted(&command.Applied{Verdict: command.Executed, Result: api.Result{Code: api.OK, Detail: api.NodeStat{}}, Number: 900,
		Command: command.NodeCommand{Session: 77, Seq: 1, Op: command.SetContents{Node: l.ref(), Contents: "alien"}}}, linearizability.Position{Slot: 900})
	l.call(api.GetContents{Handle: api.Token(l.node.Token())}, api.Result{Code: api.OK, Value: "alien", Detail: api.NodeStat{}})
	l.Judge()
	require.Nil(t, l.world.Failure())
}

func (l *lie) ref() api.Ref {
	p, err := api.ParsePath("/f")
	require.NoError(l.t, err)
	return api.Ref{Path: p, Instance: l.node.StatAtOpen().Instance}
}
