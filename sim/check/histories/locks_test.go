package histories

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/check/locks"
	"github.com/chubbycell/chubby/sim/conformance/lockwait"
	"github.com/chubbycell/chubby/sim/model"
)

// notary is a history of locks, and the models that know which handles hold them.
type notary struct {
	w      *sim.World
	b      *Locks
	shown  *locks.Sequencers
	queues *lockwait.Checker
	slot   int64
	number api.Number
}

func newNotary(t *testing.T) *notary {
	w := sim.New(sim.Config{})
	t.Cleanup(w.Close)
	held := locks.New(w, 0)
	return &notary{
		w: w, b: NewLocks(held, w), shown: locks.NewSequencers(w, held), queues: lockwait.New(w, held), number: 100,
	}
}

// logs applies a command and reports it to all models.
func (n *notary) logs(c command.Command, r api.Result, effects ...command.Effect) {
	n.slot++
	n.number++
	a := &command.Applied{Number: n.number, Command: c, Verdict: command.Executed, Result: r, Effects: effects}
	n.shown.OnCommand(a)
	n.b.OnCommand(a, linearizability.Position{Slot: n.slot})
	n.b.locks.OnCommand(a, paxos.Slot(n.slot))
	n.queues.OnCommand(a, paxos.Slot(n.slot))
}

func (n *notary) does(s api.SessionID, seq api.Seq, d command.NodeOp, r api.Result) {
	n.logs(command.NodeCommand{Session: s, Seq: seq, Op: d}, r)
}

// contested is the node of the lock.
var contested = func() api.Ref {
	path, err := api.ParsePath("/d0/hot")
	if err != nil {
		panic(err)
	}
	return api.Ref{Path: path, Instance: 9}
}()

func gripID(s api.SessionID) api.HandleID { return api.HandleID{Epoch: 3, Counter: uint64(s)} }

func acquires(s api.SessionID) command.NodeOp {
	return command.Acquire{Node: contested, Handle: gripID(s), Mode: api.Exclusive, Delay: 500}
}

// asks is a call of a session's program, and how the program is told that it ended.
func (n *notary) asks(s api.SessionID, seq api.Seq, op linearizability.LockOp, out lockOutput, err error, logged func()) {
	in := lockInput{Op: op, Path: contested.Path.String(), Instance: uint64(contested.Instance), Handle: model.Owner{Session: s, Handle: gripID(s)}.String(), Delay: 500e6}
	at := n.b.Begins(int64(s), in, &client.CallID{Session: s, Seq: seq})
	logged()
	n.b.Ends(at, err, out)
}

// takes is a TryAcquire that acquires the lock at generation gen.
func (n *notary) takes(s api.SessionID, seq api.Seq, gen api.LockGen) {
	held := api.Held{Gen: gen, Acquisition: api.Acquisition(gen)}
	n.asks(s, seq, linearizability.LockTry, lockOutput{Gen: uint64(gen)}, nil, func() {
		n.does(s, seq, acquires(s), api.Result{Code: api.OK, Detail: held})
	})
}

// fails is a TryAcquire that is refused without the log.
func (n *notary) fails(s api.SessionID, seq api.Seq, err error) {
	n.asks(s, seq, linearizability.LockTry, lockOutput{}, err, func() {})
}

func (n *notary) releases(s api.SessionID, seq api.Seq, gen api.LockGen) {
	n.asks(s, seq, linearizability.LockRelease, lockOutput{}, nil, func() {
		n.does(s, seq, command.Release{Node: contested, Handle: gripID(s), Acquisition: api.Acquisition(gen)}, api.Result{Code: api.OK})
	})
}

// keeps is a Release by a client that keeps the lock for the next Acquire: it sends nothing.
func (n *notary) keeps(s api.SessionID) {
	in := lockInput{Op: linearizability.LockRelease, Path: contested.Path.String(), Instance: uint64(contested.Instance), Handle: model.Owner{Session: s, Handle: gripID(s)}.String()}
	n.b.Withdraw(n.b.Begins(int64(s), in, &client.CallID{}))
}

func began(n api.Number) command.Effect {
	return command.LockChanged{Effect: lock.DelayBegan{Lock: contested, Freed: n, Delay: 500}}
}

// Each case is what programs and the log say of one lock. No other checker of locks can
// notice what is wrong in it: they do not know refusals, nor how long calls waited for
// answers.
func TestS4TheHistoryOfALock(t *testing.T) {
	closes := func(n *notary) {
		n.does(1, 2, command.CloseHandle{Node: contested, Handle: gripID(1)}, api.Result{Code: api.OK})
	}
	for name, c := range map[string]struct {
		do     func(n *notary)
		breaks string
	}{
		"taken, refused, released, taken": {func(n *notary) {
			n.takes(1, 1, 101)
			n.fails(2, 1, client.ErrLockHeld)
			n.releases(1, 2, 101)
			n.takes(2, 2, 103)
		}, ""},
		"kept by its client, and another is told that it is held": {func(n *notary) {
			n.takes(1, 1, 101)
			n.keeps(1)
			n.fails(2, 1, client.ErrLockHeld)
			n.releases(1, 2, 101)
			n.takes(2, 2, 103)
		}, ""},
		"closed, and a client is told that it is held": {func(n *notary) { // a Close that freed nothing
			n.takes(1, 1, 101)
			closes(n)
			n.fails(2, 1, client.ErrLockHeld)
		}, "S4"},
		"closed, and a client was told that it is held": {func(n *notary) {
			n.takes(1, 1, 101)
			n.fails(2, 1, client.ErrLockHeld)
			closes(n)
			n.takes(2, 2, 103)
		}, ""},
		"released, and a client is told of a lock-delay": {func(n *notary) { // a Release that began a delay
			n.takes(1, 1, 101)
			n.releases(1, 2, 101)
			n.fails(2, 1, client.ErrLockDelayed)
		}, "S4"},
		"its holder failed, and a client is told of the lock-delay": {func(n *notary) {
			n.takes(1, 1, 101)
			n.logs(command.Expire{Session: 1}, api.Result{Code: api.OK}, began(102))
			n.fails(2, 1, client.ErrLockDelayed)
			n.logs(command.DelayOver{Node: contested, Freed: 102}, api.Result{Code: api.OK})
		}, ""},
		"its lock-delay is another one in the log": {func(n *notary) {
			n.asks(1, 1, linearizability.LockTry, lockOutput{Gen: 101}, nil, func() {
				d := command.Acquire{Node: contested, Handle: gripID(1), Mode: api.Exclusive, Delay: 499}
				n.does(1, 1, d, api.Result{Code: api.OK, Detail: api.Held{Gen: 101, Acquisition: 101}})
			})
		}, "S8"},
		"a lock-delay is over that did not run": {func(n *notary) {
			n.takes(1, 1, 101)
			n.logs(command.DelayOver{Node: contested, Freed: 99}, api.Result{Code: api.OK})
		}, "S4"},
		"a lock-delay is over, and a client is told of it": {func(n *notary) {
			n.takes(1, 1, 101)
			n.logs(command.Expire{Session: 1}, api.Result{Code: api.OK}, began(102))
			n.logs(command.DelayOver{Node: contested, Freed: 102}, api.Result{Code: api.OK})
			n.fails(2, 1, client.ErrLockDelayed)
		}, "S4"},
		"a session ends, and its locks are free": {func(n *notary) {
			n.takes(1, 1, 101)
			n.logs(command.Call{Session: 1, Seq: 2, Op: api.EndSession{}}, api.Result{Code: api.OK})
			n.takes(2, 1, 103)
		}, ""},
		"an answer that is nowhere in the log": {func(n *notary) {
			n.takes(1, 1, 101)
			n.asks(1, 2, linearizability.LockRelease, lockOutput{}, nil, func() {})
		}, "S3"},
		"an answer that is lost": {func(n *notary) {
			n.asks(1, 1, linearizability.LockTry, lockOutput{}, client.ErrOutcomeUnknown, func() {
				n.does(1, 1, acquires(1), api.Result{Code: api.OK, Detail: api.Held{Gen: 101, Acquisition: 101}})
			})
			n.fails(2, 1, client.ErrLockHeld)
		}, ""},
		"an Acquire that waits was tried in vain, and given up": {func(n *notary) {
			n.takes(1, 1, 101)
			n.asks(2, 1, linearizability.LockAcquire, lockOutput{}, client.ErrWithdrawn, func() {
				n.does(2, 1, acquires(2), api.Result{Code: api.LockHeld})
			})
		}, ""},
		"an Acquire that waits was tried in vain, and the lock was free": {func(n *notary) {
			n.takes(1, 1, 101)
			n.releases(1, 2, 101)
			n.asks(2, 1, linearizability.LockAcquire, lockOutput{}, client.ErrWithdrawn, func() {
				n.does(2, 1, acquires(2), api.Result{Code: api.LockHeld})
			})
		}, "S4"},
		"an answer that is lost, and the client says that nothing was done": {func(n *notary) {
			n.asks(1, 1, linearizability.LockTry, lockOutput{}, context.DeadlineExceeded, func() {
				n.does(1, 1, acquires(1), api.Result{Code: api.OK, Detail: api.Held{Gen: 101, Acquisition: 101}})
			})
		}, "S4"},
		"it was granted, and lost when its client heard of it": {func(n *notary) {
			n.asks(1, 1, linearizability.LockTry, lockOutput{}, client.ErrNotHeld, func() {
				n.does(1, 1, acquires(1), api.Result{Code: api.OK, Detail: api.Held{Gen: 101, Acquisition: 101}})
			})
		}, ""},
		"it was granted, and its node was about to be deleted when its client heard of it": {func(n *notary) {
			n.asks(1, 1, linearizability.LockTry, lockOutput{}, client.ErrGone, func() {
				n.does(1, 1, acquires(1), api.Result{Code: api.OK, Detail: api.Held{Gen: 101, Acquisition: 101}})
			})
			n.fails(2, 1, client.ErrLockHeld)
			n.releases(1, 2, 101)
			n.takes(2, 2, 103)
		}, ""},
		"it was granted, its client heard that its node was deleted, and another is told of a lock-delay": {func(n *notary) {
			n.asks(1, 1, linearizability.LockTry, lockOutput{}, client.ErrGone, func() {
				n.does(1, 1, acquires(1), api.Result{Code: api.OK, Detail: api.Held{Gen: 101, Acquisition: 101}})
			})
			n.fails(2, 1, client.ErrLockDelayed)
		}, "S4"},
		"a call that no book has": {func(n *notary) {
			n.does(1, 1, acquires(1), api.Result{Code: api.OK, Detail: api.Held{Gen: 101, Acquisition: 101}})
			n.fails(2, 1, client.ErrLockHeld)
		}, ""},
		"a client is told of another generation": {func(n *notary) {
			n.takes(1, 1, 101)
			n.releases(1, 2, 101)
			n.asks(1, 3, linearizability.LockTry, lockOutput{Gen: 90}, nil, func() {
				n.does(1, 3, acquires(1), api.Result{Code: api.OK, Detail: api.Held{Gen: 103, Acquisition: 103}})
			})
		}, "S4"},
		"a node goes, and a client is told that its lock is held": {func(n *notary) {
			n.takes(1, 1, 101)
			n.does(1, 2, command.DeleteNode{Node: contested}, api.Result{Code: api.OK})
			n.fails(2, 1, client.ErrLockHeld)
		}, "S4"},
		"a copy of what was refused comes into the log later": {func(n *notary) {
			n.takes(1, 1, 101)
			n.fails(2, 1, client.ErrLockHeld)
			n.releases(1, 2, 101)
			n.does(2, 1, acquires(2), api.Result{Code: api.LockDelayed})
		}, ""},
		"a copy of what was refused is granted later": {func(n *notary) {
			n.takes(1, 1, 101)
			n.fails(2, 1, client.ErrLockHeld)
			n.releases(1, 2, 101)
			n.does(2, 1, acquires(2), api.Result{Code: api.OK, Detail: api.Held{Gen: 103, Acquisition: 103}})
		}, "S4"},
		"a node goes, and that is told": {func(n *notary) {
			n.takes(1, 1, 101)
			n.logs(command.Sweep{Node: contested}, api.Result{Code: api.OK})
			n.fails(2, 1, client.ErrGone)
		}, ""},
		"an error that the model does not know": {func(n *notary) { n.fails(2, 1, errors.New("another")) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNotary(t)
			c.do(n)
			n.b.locks.Judge()
			require.Nil(t, n.w.Failure())
			n.b.Judge(&Verdict{})
			if c.breaks == "" {
				require.Nil(t, n.w.Failure())
				require.NotZero(t, len(n.b.events)+len(n.b.calls))
			} else {
				require.NotNil(t, n.w.Failure(), "nothing broke")
				require.Equal(t, c.breaks, n.w.Failure().ID, n.w.Failure().Text)
			}
		})
	}
}

// A report of S4 includes the calls before: their clients, when they were under way, and
// their answers.
func TestS4NamesTheCallsBefore(t *testing.T) {
	n := newNotary(t)
	n.takes(1, 1, 101)
	n.releases(1, 2, 101)
	n.fails(2, 1, client.ErrLockDelayed)
	n.b.Judge(&Verdict{})
	require.Regexp(t, `(?s)client 2: .*\nbefore it: client 1: [^\n]*, from 0\.000000 s to 0\.000000 s, in slot 1\nbefore it: client 1: [^\n]*, in slot 2$`, n.w.Failure().Text)
}

// And two answered calls after it, which show what it left behind.
func TestS4NamesTheCallsAfter(t *testing.T) {
	n := newNotary(t)
	n.fails(2, 1, client.ErrLockDelayed)
	n.takes(1, 1, 101)
	n.releases(1, 2, 101)
	n.takes(3, 1, 103)
	n.b.Judge(&Verdict{})
	require.Regexp(t, `(?s)client 2: .*\nafter it: client 1: [^\n]*, in slot 1\nafter it: client 1: [^\n]*, in slot 2$`, n.w.Failure().Text)
}
