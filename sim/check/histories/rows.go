package histories

import (
	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/sim"
)

// Rows is the history of rows: what client programs asked and were told. Its
// recorder takes down how a call ended.
type Rows struct {
	*linearizability.Recorder[linearizability.KVInput, linearizability.KVOutput]
	trails []trailed
}

// trailed is a call whose place in the log is looked up at the end.
type trailed struct {
	op    int  // in the history
	reads bool // and changes nothing
	trail *client.CallID
}

// NewRows is a history without a call.
func NewRows() *Rows {
	return &Rows{Recorder: linearizability.NewRecorder[linearizability.KVInput, linearizability.KVOutput](1024)}
}

// Begins takes down that process who asks for something at an instant. The client fills
// the trail. It returns the number of the call, by which its end is taken down.
func (b *Rows) Begins(who, at int64, in linearizability.KVInput, trail *client.CallID) (op int) {
	op = b.Call(who, at, in)
	b.trails = append(b.trails, trailed{op, reads(in), trail})
	return op
}

// reads says that a call changes nothing: it has a place in the log only where a
// master had no lease.
func reads(in linearizability.KVInput) bool {
	return in.Op == linearizability.OpGet || in.Op == linearizability.OpList
}

// Log says where in the log a call stands.
type Log interface {
	PositionOf(trail *client.CallID) (linearizability.Position, bool)
}

// Judge places every write where it took effect, and leaves it to the
// witness check to find a place for every read, wherever it was answered. It lets the witness
// check and, beside it, Porcupine decide (S4, S3). What breaks it reports to w.
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
