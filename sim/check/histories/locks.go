package histories

import (
	"errors"
	"slices"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/check/locks"
	"github.com/chubbycell/chubby/sim/model"
)

// Short names for types of the model of locks.
type (
	lockInput     = linearizability.LockInput
	lockOutput    = linearizability.LockOutput
	lockOperation = linearizability.Operation[linearizability.LockInput, linearizability.LockOutput]
)

// Locks keeps the history of locks: the calls of client programs and, as calls of the system,
// what happened to locks without such a call or by unrecorded calls: sessions that end,
// handles that fail or are closed, lock-delays that are over, nodes that are deleted.
type Locks struct {
	locks  *locks.Model // which handle holds which lock, by the log
	world  *sim.World
	stamp  int64
	calls  []lockCall
	events []lockEvent   // in log order
	unsure int           // counts calls of unknown outcome
	wrong  model.Finding // what is wrong with calls in the log
}

// lockCall is a call of a program. Its place in the log is found after the run.
type lockCall struct {
	op    lockOperation
	trail *client.CallID
	frees int  // of a Release: the index of the call that acquired the lock, plus one; 0: unknown
	no    bool // the client was told that it changed nothing, and never will
	void  bool // it was not made
}

// lockEvent is what the log did to a lock.
type lockEvent struct {
	op   lockOperation
	call model.Call // the call that did it; zero: none
}

// NewLocks returns an empty history, with the time of w. l tells, by the log, which handle
// holds which lock.
func NewLocks(l *locks.Model, w *sim.World) *Locks { return &Locks{locks: l, world: w} }

func (b *Locks) next() int64 {
	b.stamp++
	return b.stamp
}

// Begins records a call of a program. The client fills the trail. Begins returns the number
// of the call, by which Ends records its end.
func (b *Locks) Begins(who int64, in lockInput, t *client.CallID) int {
	b.calls = append(b.calls, lockCall{trail: t, op: lockOperation{
		Client: who, Call: b.next(), Return: linearizability.Never, CallTime: b.now(), Outcome: linearizability.OutcomeUnknown, Input: in,
	}})
	return len(b.calls) - 1
}

// Frees records which call acquired the lock that a Release frees: that call's number plus
// one; 0: unknown.
func (b *Locks) Frees(at, granted int) { b.calls[at].frees = granted }

// Withdraw records that a call was not made after all: a client that keeps the lock of a
// handle (client.OpenOptions.KeepLock) releases and acquires it without the cell.
func (b *Locks) Withdraw(at int) { b.calls[at].void = true }

// Ends records how a call ended. An answer that the model does not know leaves open whether
// the call took effect.
func (b *Locks) Ends(i int, err error, out lockOutput) {
	op := &b.calls[i].op
	code, known := lockCode(op.Input.Op, err)
	if known {
		out.Code = code
		op.Outcome, op.Return, op.ReturnTime, op.Output = linearizability.OutcomeOK, b.next(), b.now(), out
	}
	switch {
	case errors.Is(err, client.ErrOutcomeUnknown), errors.Is(err, client.ErrWithdrawn): // a withdrawn call may have held the lock for a while
		b.unsure++
	case !known:
		b.calls[i].no = !slices.ContainsFunc(lostSince, func(e error) bool { return errors.Is(err, e) })
	}
}

// lostSince has the errors by which a client is told of a lock that was granted, and lost
// before the client learned of it.
var lostSince = []error{client.ErrNotHeld, client.ErrSessionExpired, client.ErrClosed, client.ErrPoisoned}

// lockErrors has the errors that are answers of the model, and the operations that can have
// them.
var lockErrors = []struct {
	err    error
	code   linearizability.LockCode
	result api.Code
	of     []linearizability.LockOp
}{
	{client.ErrLockHeld, linearizability.LockHeld, api.LockHeld, []linearizability.LockOp{linearizability.LockTry}},
	{client.ErrLockDelayed, linearizability.LockDelayed, api.LockDelayed, []linearizability.LockOp{linearizability.LockTry}},
	{client.ErrGone, linearizability.LockGone, api.Gone, []linearizability.LockOp{linearizability.LockTry, linearizability.LockAcquire}},
	{client.ErrNotHeld, linearizability.LockNotHeld, api.NotHeld, []linearizability.LockOp{linearizability.LockRelease}},
	{client.ErrStaleSequencer, linearizability.LockStale, api.StaleSequencer, []linearizability.LockOp{linearizability.LockCheckSequencer}},
}

func lockCode(op linearizability.LockOp, err error) (code linearizability.LockCode, known bool) {
	if err == nil {
		return linearizability.LockOK, true
	}
	for _, e := range lockErrors {
		for _, of := range e.of {
			if of == op && errors.Is(err, e.err) {
				return e.code, true
			}
		}
	}
	return 0, false
}

// lockResult is lockCode for results in the log.
func lockResult(op linearizability.LockOp, r api.Result) (out lockOutput, known bool) {
	if r.Code == api.OK {
		h, _ := r.Detail.(api.Held)
		return lockOutput{Gen: uint64(h.Gen), Acquisition: uint64(h.Acquisition)}, true
	}
	for _, e := range lockErrors {
		for _, of := range e.of {
			if of == op && r.Code == e.result {
				return lockOutput{Code: e.code}, true
			}
		}
	}
	return out, false
}

// OnCommand reports a command when it is first applied anywhere, and its place, before the
// locks.Model sees it.
func (b *Locks) OnCommand(a *command.Applied, at linearizability.Position) {
	if a.Verdict != command.Executed {
		return
	}
	at.Index <<= 12 // room for all effects of one command
	if c, ok := a.Command.(command.NodeCommand); ok {
		b.act(c, a.Result, at)
	}
	if a.Result.Code != api.OK {
		return
	}
	switch c := a.Command.(type) {
	case command.Call:
		if _, ends := c.Op.(api.EndSession); ends {
			b.endSession(c.Session, a, at, false)
		}
	case command.Expire:
		b.endSession(c.Session, a, at, true)
	case command.FailHandle:
		b.noteFailed([]model.Owner{{Session: c.Session, Handle: c.Handle}}, a, at)
	case command.DelayOver:
		b.does(at, lockInput{Op: linearizability.LockDelayOver, Began: uint64(c.Freed)}, c.Node, lockOutput{})
	case command.Sweep:
		b.does(at, lockInput{Op: linearizability.LockForget}, c.Node, lockOutput{})
	}
}

func (b *Locks) act(c command.NodeCommand, r api.Result, at linearizability.Position) {
	k := model.Call{Session: c.Session, Seq: c.Seq}
	switch d := c.Op.(type) {
	case command.Acquire:
		in := lockInput{
			Op: linearizability.LockTry, Handle: model.Owner{Session: c.Session, Handle: d.Handle}.String(), Shared: d.Mode == api.Shared,
			Delay: int64(model.DelaySpan(d.Delay)),
		}
		if d.Wait {
			in.Op = linearizability.LockAcquire
		}
		b.noteCall(k, at, in, d.Node, r)
	case command.Release:
		in := lockInput{Op: linearizability.LockRelease, Handle: model.Owner{Session: c.Session, Handle: d.Handle}.String(), Acquisition: uint64(d.Acquisition)}
		b.noteCall(k, at, in, d.Node, r)
	case command.CheckSequencer:
		if q := d.Sequencer; r.Code == api.OK || d.Fence == (api.Sequencer{}) {
			in := lockInput{Op: linearizability.LockCheckSequencer, Shared: q.Mode == api.Shared, Gen: uint64(q.Gen)}
			b.noteCall(k, at, in, q.Node, r)
		}
	case command.CloseHandle:
		if r.Code == api.OK {
			b.noteClose(model.Owner{Session: c.Session, Handle: d.Handle}, at)
		}
	case command.CancelAcquire:
		if o, ok := b.locks.CancelledBy(c.Session, d); ok && r.Code == api.OK {
			b.noteClose(o, at)
		}
	case command.DeleteNode:
		if r.Code == api.OK {
			b.does(at, lockInput{Op: linearizability.LockForget}, d.Node, lockOutput{})
		}
	}
}

// endSession records that a session has ended or expired, and that it holds no lock any more.
func (b *Locks) endSession(id api.SessionID, a *command.Applied, at linearizability.Position, failed bool) {
	all := b.locks.Owners(func(o model.Owner, _ locks.Hold) bool { return o.Session == id })
	if failed {
		b.noteFailed(all, a, at)
		return
	}
	for _, o := range all {
		b.noteClose(o, at)
		at.Index++
	}
}

// noteClose records that an owner frees what it holds.
func (b *Locks) noteClose(o model.Owner, at linearizability.Position) {
	if h, ok := b.locks.Holds[o]; ok {
		b.does(at, lockInput{Op: linearizability.LockClose, Handle: o.String()}, h.Node, lockOutput{})
	}
}

// noteFailed records that owners have failed. The lock-delays are those that the command's
// effects state; for several holders of one lock, these state the longest one only.
func (b *Locks) noteFailed(all []model.Owner, a *command.Applied, at linearizability.Position) {
	on := map[api.Ref]int{}
	for _, o := range all {
		on[b.locks.Holds[o].Node]++
	}
	for _, o := range all {
		h, ok := b.locks.Holds[o]
		if !ok {
			continue
		}
		out := lockOutput{Delay: delayTold(a, h.Node)}
		if on[h.Node] > 1 {
			out.Delay = -1
		}
		b.does(at, lockInput{Op: linearizability.LockFail, Handle: o.String(), Began: uint64(a.Number)}, h.Node, out)
		at.Index++
	}
}

func delayTold(a *command.Applied, n api.Ref) (d int64) {
	for _, e := range a.Effects {
		c, ok := e.(command.LockChanged)
		if !ok {
			continue
		}
		if began, ok := c.Effect.(lock.DelayBegan); ok && began.Lock == n {
			d = max(d, int64(model.DelaySpan(began.Delay)))
		}
	}
	return d
}

// noteCall records a call that was executed, if the model knows its answer. A call with any
// other answer has changed nothing.
func (b *Locks) noteCall(k model.Call, at linearizability.Position, in lockInput, n api.Ref, r api.Result) {
	if out, known := lockResult(in.Op, r); known {
		b.does(at, in, n, out)
		b.events[len(b.events)-1].call = k
	}
}

func (b *Locks) does(at linearizability.Position, in lockInput, n api.Ref, out lockOutput) {
	in.Path, in.Instance = n.Path.String(), uint64(n.Instance)
	b.events = append(b.events, lockEvent{op: lockOperation{
		Client: system, Call: b.next(), Return: b.next(), CallTime: b.now(), ReturnTime: b.now(),
		Outcome: linearizability.OutcomeOK, At: at, Input: in, Output: out,
	}})
}

func (b *Locks) now() int64 { return int64(b.world.Now()) }
