package histories

import (
	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/sim"
)

// Rows is the history of rows: the calls of client programs. Its Recorder records how a call
// ended.
type Rows struct {
	*linearizability.Recorder[linearizability.KVInput, linearizability.KVOutput]
	trails []rowCall
}

// rowCall is a call whose place in the log is found after the run.
type rowCall struct {
	op    int  // in the history
	reads bool // it changes nothing
	trail *client.CallID
}

// NewRows returns an empty history.
func NewRows() *Rows {
	return &Rows{Recorder: linearizability.NewRecorder[linearizability.KVInput, linearizability.KVOutput](1024)}
}

// Begins records that process who makes a call at an instant. The client fills the trail.
// Begins returns the number of the call, by which the Recorder records its end.
func (b *Rows) Begins(who, at int64, in linearizability.KVInput, trail *client.CallID) (op int) {
	op = b.Call(who, at, in)
	b.trails = append(b.trails, rowCall{op, reads(in), trail})
	return op
}

// reads reports whether a call changes nothing. Such a call has a place in the log only if
// the master had no lease.
func reads(in linearizability.KVInput) bool {
	return in.Op == linearizability.OpGet || in.Op == linearizability.OpList
}

// Log tells where in the log a call took effect.
type Log interface {
	PositionOf(trail *client.CallID) (linearizability.Position, bool)
}

// Judge places every write where it took effect, and leaves it to the witness check to place
// every read. Then the witness check and, independently, Porcupine decide (S4, S3). Judge
// reports what breaks to w.
func (b *Rows) Judge(w *sim.World, log Log, v *Verdict) *linearizability.History[linearizability.KVInput, linearizability.KVOutput] {
	for _, t := range b.trails {
		if at, ok := log.PositionOf(t.trail); ok && !t.reads {
			b.At(t.op, at)
		}
	}
	h := b.History()
	for i := range h.Operations() {
		op := &h.Operations()[i]
		if op.Outcome == linearizability.OutcomeUnknown {
			v.Unknown++
		}
		if op.Outcome == linearizability.OutcomeFailed && !op.At.IsZero() && w.Failure() == nil {
			w.Break("S4", "client %d was told that %v was not executed and never will be; it took effect at %v; the call was under way %s", op.Client, op.Input, op.At, span(op))
		}
		if op.Outcome == linearizability.OutcomeOK && op.At.IsZero() && !reads(op.Input) && w.Failure() == nil {
			w.Break("S3", "client %d was answered %v, which took effect nowhere in the log; the call was under way %s", op.Client, op.Input, span(op))
		}
	}
	decide(w, v, linearizability.KV(), h, porcupineSteps)
	return h
}
