package histories

import (
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/sim/model"
)

// Judge places every change where it took effect, and has the witness check decide (S4, S3).
// It returns the history, or nil if client programs made no call.
func (b *Files) Judge(v *Verdict) *linearizability.History[linearizability.FileInput, linearizability.FileOutput] {
	for _, t := range b.trails {
		p, ok := b.results[model.Call{Session: t.trail.Session, Seq: t.trail.Seq}]
		if !ok {
			continue
		}
		if out, known := fileOutput(p.result); known && !fileReads(t.in, out) && (!t.no || out.Code == linearizability.FileOK) {
			b.History.At(t.op, p.at)
			b.History.WitnessOutput(t.op, out)
		}
	}
	h := b.History.History()
	ops := h.Operations()
	for _, t := range b.trails {
		op := &ops[t.op]
		switch {
		case op.Outcome == linearizability.OutcomeUnknown:
			v.Unknown++
		case b.world.Failure() != nil:
		case op.Outcome == linearizability.OutcomeFailed && !op.At.IsZero():
			b.world.Break("S4", "client %d was told that a call on %s was not executed and never will be; it took effect at %v; the call was under way %s", op.Client, t.in.Path, op.At, span(op))
		case op.Outcome == linearizability.OutcomeOK && op.Output.Code == linearizability.FileOK && op.At.IsZero() && !fileReads(t.in, op.Output):
			b.world.Break("S3", "client %d was answered a call on %s, which took effect nowhere in the log; the call was under way %s", op.Client, t.in.Path, span(op))
		}
	}
	decide(b.world, v, linearizability.File(), h, porcupineSteps)
	if len(b.trails) == 0 {
		return nil
	}
	return h
}

// fileReads reports whether a call changed nothing. Such a call has a place in the log only
// if no master could answer it alone.
func fileReads(in linearizability.FileInput, out linearizability.FileOutput) bool {
	switch in.Op {
	case linearizability.FileGet, linearizability.FileGetStat, linearizability.FileReadDir:
		return true
	}
	return in.Op == linearizability.FileOpen && !out.Created
}
