package cell

import "github.com/chubbycell/chubby/linearizability"

// checkHistory places every write where it took effect, and leaves it to the
// witness check to find a place for every read, wherever it was answered. It lets the witness
// check and, beside it, Porcupine decide (S4).
func (c *Cell) checkHistory(r *Result) {
	for _, t := range c.load.trails {
		if at, ok := c.watch.PositionOf(t.trail); ok && !t.reads {
			c.history.At(t.op, at)
		}
	}
	r.history = c.history.History()
	for i := range r.history.Operations() {
		op := &r.history.Operations()[i]
		if op.Outcome == linearizability.OutcomeUnknown {
			r.Unknown++
		}
		if op.Outcome == linearizability.OutcomeFailed && !op.At.IsZero() && c.world.Failure() == nil {
			c.world.Break("S4", "client %d was told that %v was not executed and never will be; it took effect at %v", op.Client, op.Input, op.At)
		}
		if op.Outcome == linearizability.OutcomeOK && op.At.IsZero() && !reads(op.Input) && c.world.Failure() == nil {
			c.world.Break("S3", "client %d was answered %v, which took effect nowhere in the log", op.Client, op.Input)
		}
	}
	decide(c, r, linearizability.KV(), r.history, porcupineSteps)
}

// decide has the witness check decide about a history, and the search beside it (S4).
func decide[S, I, O any](c *Cell, r *Result, model *linearizability.Model[S, I, O], h *linearizability.History[I, O], steps int64) {
	w := linearizability.CheckWitness(model, h)
	r.Undecided = r.Undecided || w.Verdict == linearizability.Undecided
	if w.Verdict == linearizability.Illegal && c.world.Failure() == nil {
		c.world.Break("S4", "%s", w.Violation.Text)
	}
	crossCheck(c, r, model, h, steps)
}

// crossCheck lets Porcupine decide as far as its budget goes.
func crossCheck[S, I, O any](c *Cell, r *Result, model *linearizability.Model[S, I, O], h *linearizability.History[I, O], steps int64) {
	search, err := linearizability.Check(model, h, linearizability.Budget{Steps: steps, Bytes: 64 << 20})
	if err != nil {
		c.world.Break("S4", "the history is malformed: %v", err)
		return
	}
	for _, p := range search.Partitions {
		r.Partition++
		if p.Verdict != linearizability.Undecided {
			r.Decided++
		}
	}
	r.Steps += search.Steps
	if search.Verdict == linearizability.Illegal && c.world.Failure() == nil {
		c.world.Break("S4", "Porcupine finds no order that explains the history, and the witness check did")
	}
}

// Bounds of the cross-check of one partition. Of a lock that many wait for the search
// decides little more with ten times the steps, and that would be a fifth of a seed.
const (
	porcupineSteps     = 200_000
	porcupineLockSteps = 20_000
)
