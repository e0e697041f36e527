package histories

import (
	"cmp"
	"slices"
	"time"

	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/sim/model"
)

// history merges the calls of programs with what the log did. A call is placed where its
// command is, and the command of an unrecorded call becomes a call of the system.
func (b *Locks) history() (*linearizability.History[linearizability.LockInput, linearizability.LockOutput], error) {
	of := map[model.Call]int{}
	for i, c := range b.calls {
		if c.trail.Session != 0 {
			of[model.Call{Session: c.trail.Session, Seq: c.trail.Seq}] = i
		}
	}
	ops := make([]lockOperation, 0, len(b.calls)+len(b.events))
	for _, d := range b.events {
		if i, ok := of[d.call]; ok && d.call != (model.Call{}) {
			if f := b.calls[i].checkDelay(d.op); f != (model.Finding{}) {
				b.wrong = f
			}
			if b.calls[i].no && changesLock(&d.op) {
				b.wrong = model.Findingf("S4", "client %d was told that a call on the lock of %s was not executed and never will be; it took effect at %v; the call was under way %s", b.calls[i].op.Client, d.op.Input.Path, d.op.At, span(&b.calls[i].op))
			}
			if b.calls[i].isTry(&d.op) {
				ops = append(ops, d.op)
				continue
			}
			b.calls[i].place(d.op)
		} else {
			ops = append(ops, d.op)
		}
	}
	for _, c := range b.calls {
		if c.frees > 0 && c.op.Input.Acquisition == 0 {
			c.op.Input.Acquisition = b.calls[c.frees-1].op.Output.Acquisition
		}
		if !c.void {
			ops = append(ops, c.op)
		}
	}
	slices.SortFunc(ops, func(x, y lockOperation) int { return cmp.Compare(x.Call, y.Call) })
	for i := range ops {
		ops[i].ID = int64(i)
	}
	return linearizability.NewHistory(ops)
}

// isTry reports whether a waiting Acquire was sent as a TryAcquire, since the master had no
// room for another waiter, and was refused. The refusal does not end the call, and is an
// operation of its own.
func (c *lockCall) isTry(d *lockOperation) bool {
	return c.op.Input.Op == linearizability.LockAcquire && d.Input.Op == linearizability.LockTry && d.Output.Code != linearizability.LockOK
}

// place records the place of a call in the log, and its answer there. A client knows its
// acquisition, which other calls are not told. A call that changes nothing may have been
// answered by a master alone, while a copy was executed later; the witness check finds its
// place, as that of all reads.
func (c *lockCall) place(d lockOperation) {
	op := &c.op
	if op.Outcome == linearizability.OutcomeOK && !changesLock(op) && !changesLock(&d) {
		return
	}
	op.At = d.At
	if op.Output.Code == linearizability.LockGone && changesLock(&d) {
		// It got the lock, and was told that the node is about to be deleted before its program
		// learned of the grant (client.ErrGone). It gives the lock back.
		op.Outcome, op.Return = linearizability.OutcomeUnknown, linearizability.Never
	}
	switch {
	case op.Outcome != linearizability.OutcomeOK:
		op.WitnessOutput, op.Output = true, d.Output
	case op.Output.Code == d.Output.Code && op.Output.Code == linearizability.LockOK:
		op.Output.Acquisition = d.Output.Acquisition
	}
	op.Input.Acquisition = d.Input.Acquisition
}

// checkDelay returns what is wrong with a call in the log: a lock-delay other than its
// program asked for.
func (c *lockCall) checkDelay(d lockOperation) model.Finding {
	if op := &c.op; (op.Input.Op == linearizability.LockTry || op.Input.Op == linearizability.LockAcquire) && op.Input.Delay != d.Input.Delay {
		return model.Findingf("S8", "client %d asks, by call %d of session %d, for the lock of %s with a lock-delay of %v, and in the log it has one of %v",
			op.Client, c.trail.Seq, c.trail.Session, op.Input.Path, time.Duration(op.Input.Delay), time.Duration(d.Input.Delay))
	}
	return model.Finding{}
}

// changesLock reports whether a call with this answer must be in the log.
func changesLock(op *lockOperation) bool {
	return op.Outcome == linearizability.OutcomeOK && op.Output.Code == linearizability.LockOK &&
		op.Input.Op != linearizability.LockCheckSequencer
}

// Judge has the witness check, and independently the search, decide about the history of
// locks (S4, S3). It returns the history, or nil if there is none.
func (b *Locks) Judge(v *Verdict) *linearizability.History[linearizability.LockInput, linearizability.LockOutput] {
	if len(b.events) == 0 {
		return nil
	}
	h, err := b.history()
	if err != nil {
		b.world.Break("S4", "the history of locks is malformed: %v", err)
		return nil
	}
	if b.wrong != (model.Finding{}) && b.world.Failure() == nil {
		b.world.Break(b.wrong.ID, "%s", b.wrong.Text)
	}
	v.Unknown += b.unsure
	for i := range h.Operations() {
		op := &h.Operations()[i]
		if changesLock(op) && op.At.IsZero() && b.world.Failure() == nil {
			b.world.Break("S3", "client %d was answered a call on the lock of %s, which took effect nowhere in the log; the call was under way %s", op.Client, op.Input.Path, span(op))
		}
	}
	decide(b.world, v, linearizability.Lock(), h, porcupineLockSteps)
	return h
}
