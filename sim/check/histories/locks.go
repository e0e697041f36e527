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

// Short names of what the model of locks has.
type (
	lockInput     = linearizability.LockInput
	lockOutput    = linearizability.LockOutput
	lockOperation = linearizability.Operation[linearizability.LockInput, linearizability.LockOutput]
)

// Locks keeps the history of locks: what client programs asked and were told,
// and, as calls of the system, what happened to locks without being asked for, or by
// calls of which no record is kept: sessions that end, handles that fail or are
// closed, lock-delays that are over, nodes that go.
type Locks struct {
	locks  *locks.Model // who holds what, by the log
	world  *sim.World
	stamp  int64
	calls  []lockCall
	deeds  []lockDeed    // in the order of the log
	unsure int           // calls of unknown outcome
	wrong  model.Finding // in how calls stand in the log
}

// lockCall is what a program asked for. Where in the log it stands is looked up at
// the end.
type lockCall struct {
	op    lockOperation
	trail *client.CallID
	frees int  // of a Release: the call that was granted, plus one; 0: not known
	no    bool // the client was told that it changed nothing, and never will
	void  bool // it was not made
}

// lockDeed is what the log did to a lock.
type lockDeed struct {
	op   lockOperation
	call model.Call // that did it; zero: none
}

// NewLocks is a history without a call, by the time of w; l says who holds what, by the log.
func NewLocks(l *locks.Model, w *sim.World) *Locks { return &Locks{locks: l, world: w} }

func (b *Locks) next() int64 {
	b.stamp++
	return b.stamp
}

// Begins takes down a call of a program. The client fills the trail. It returns the number
// of the call, by which its end is taken down.
func (b *Locks) Begins(who int64, in lockInput, t *client.CallID) int {
	b.calls = append(b.calls, lockCall{trail: t, op: lockOperation{
		Client: who, Call: b.next(), Return: linearizability.Never, CallTime: b.now(), Outcome: linearizability.OutcomeUnknown, Input: in,
	}})
	return len(b.calls) - 1
}

// Frees takes down of a Release which call was granted what it gives back: that one's
// number, plus one; 0: that is not known.
func (b *Locks) Frees(at, granted int) { b.calls[at].frees = granted }

// Withdraw takes down that a call was not made after all: a client that keeps the lock of a handle
// (client.OpenOptions.KeepLock) releases and acquires it without the cell.
func (b *Locks) Withdraw(at int) { b.calls[at].void = true }

// Ends takes down how a call ended. What the model does not know, the call may have done or
// not, for all that is said here.
func (b *Locks) Ends(i int, err error, out lockOutput) {
	op := &b.calls[i].op
	code, known := lockCode(op.Input.Op, err)
	if known {
		out.Code = code
		op.Outcome, op.Return, op.ReturnTime, op.Output = linearizability.OutcomeOK, b.next(), b.now(), out
	}
	switch {
	case errors.Is(err, client.ErrOutcomeUnknown), errors.Is(err, client.ErrWithdrawn): // which may have held the lock for a while
		b.unsure++
	case !known:
		b.calls[i].no = !slices.ContainsFunc(lostSince, func(e error) bool { return errors.Is(err, e) })
	}
}

// lostSince are what a client is told of a lock that was granted, and lost before it heard.
var lostSince = []error{client.ErrNotHeld, client.ErrSessionExpired, client.ErrClosed, client.ErrPoisoned}

// lockErrors are the errors that are answers of the model, and which calls have them.
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

// OnCommand is told of each command as it is first applied anywhere, and where, before
// the book of locks is.
func (b *Locks) OnCommand(a *command.Applied, at linearizability.Position) {
	if a.Verdict != command.Executed {
		return
	}
	at.Index <<= 12 // room for all that one command does
	if c, ok := a.Command.(command.NodeCommand); ok {
		b.act(c, a.Result, at)
	}
	if a.Result.Code != api.OK {
		return
	}
	switch c := a.Command.(type) {
	case command.Call:
		if _, ends := c.Op.(api.EndSession); ends {
			b.session(c.Session, a, at, false)
		}
	case command.Expire:
		b.session(c.Session, a, at, true)
	case command.FailHandle:
		b.fails([]model.Owner{{Session: c.Session, Handle: c.Handle}}, a, at)
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
		b.answers(k, at, in, d.Node, r)
	case command.Release:
		in := lockInput{Op: linearizability.LockRelease, Handle: model.Owner{Session: c.Session, Handle: d.Handle}.String(), Acquisition: uint64(d.Acquisition)}
		b.answers(k, at, in, d.Node, r)
	case command.CheckSequencer:
		if q := d.Sequencer; r.Code == api.OK || d.Fence == (api.Sequencer{}) {
			in := lockInput{Op: linearizability.LockCheckSequencer, Shared: q.Mode == api.Shared, Gen: uint64(q.Gen)}
			b.answers(k, at, in, q.Node, r)
		}
	case command.CloseHandle:
		if r.Code == api.OK {
			b.closes(model.Owner{Session: c.Session, Handle: d.Handle}, at)
		}
	case command.CancelAcquire:
		if o, ok := b.locks.CancelledBy(c.Session, d); ok && r.Code == api.OK {
			b.closes(o, at)
		}
	case command.DeleteNode:
		if r.Code == api.OK {
			b.does(at, lockInput{Op: linearizability.LockForget}, d.Node, lockOutput{})
		}
	}
}

// session notes that a session has ended, or failed, and all that it held with it.
func (b *Locks) session(id api.SessionID, a *command.Applied, at linearizability.Position, failed bool) {
	all := b.locks.Owners(func(o model.Owner, _ locks.Hold) bool { return o.Session == id })
	if failed {
		b.fails(all, a, at)
		return
	}
	for _, o := range all {
		b.closes(o, at)
		at.Index++
	}
}

// closes notes that an owner gives back what it holds.
func (b *Locks) closes(o model.Owner, at linearizability.Position) {
	if h, ok := b.locks.Holds[o]; ok {
		b.does(at, lockInput{Op: linearizability.LockClose, Handle: o.String()}, h.Node, lockOutput{})
	}
}

// fails notes that owners have failed. For how long their locks must stay free is what
// the command has told; of several holders of one lock it has told the longest.
func (b *Locks) fails(all []model.Owner, a *command.Applied, at linearizability.Position) {
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

// answers notes a call that was executed, as far as the model knows its answer; any
// other has changed nothing.
func (b *Locks) answers(k model.Call, at linearizability.Position, in lockInput, n api.Ref, r api.Result) {
	if out, known := lockResult(in.Op, r); known {
		b.does(at, in, n, out)
		b.deeds[len(b.deeds)-1].call = k
	}
}

func (b *Locks) does(at linearizability.Position, in lockInput, n api.Ref, out lockOutput) {
	in.Path, in.Instance = n.Path.String(), uint64(n.Instance)
	b.deeds = append(b.deeds, lockDeed{op: lockOperation{
		Client: system, Call: b.next(), Return: b.next(), CallTime: b.now(), ReturnTime: b.now(),
		Outcome: linearizability.OutcomeOK, At: at, Input: in, Output: out,
	}})
}

func (b *Locks) now() int64 { return int64(b.world.Now()) }
