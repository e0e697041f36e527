package histories

import (
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/sim"
)

// Verdict is what histories were found to be, beside what broke.
type Verdict struct {
	Undecided bool // some history is
	Partition int  // partitions that the search was given
	Decided   int  // of them, those that it decided
	Steps     int64
	Unknown   int // calls whose outcome their client does not know
}

// decide has the witness check decide about a history, and the search beside it (S4).
func decide[S, I, O any](w *sim.World, v *Verdict, model *linearizability.Model[S, I, O], h *linearizability.History[I, O], steps int64) {
	found := linearizability.CheckWitness(model, h)
	v.Undecided = v.Undecided || found.Verdict == linearizability.Undecided
	if found.Verdict == linearizability.Illegal && w.Failure() == nil {
		w.Break("S4", "%s", found.Violation.Text)
	}
	crossCheck(w, v, model, h, steps)
}

// crossCheck lets Porcupine decide as far as its budget goes.
func crossCheck[S, I, O any](w *sim.World, v *Verdict, model *linearizability.Model[S, I, O], h *linearizability.History[I, O], steps int64) {
	search, err := linearizability.Check(model, h, linearizability.Budget{Steps: steps, Bytes: 64 << 20, All: true, Porcupine: true})
	if err != nil {
		w.Break("S4", "the history is malformed: %v", err)
		return
	}
	for _, p := range search.Partitions {
		v.Partition++
		if p.Verdict != linearizability.Undecided {
			v.Decided++
		}
	}
	v.Steps += search.Steps
	if search.Verdict == linearizability.Illegal && w.Failure() == nil {
		w.Break("S4", "Porcupine finds no order that explains the history, and the witness check did")
	}
}

// Bounds of the cross-check of one partition. Of a lock that many wait for the search
// decides little more with ten times the steps, and that would be a fifth of a seed.
const (
	porcupineSteps     = 200_000
	porcupineLockSteps = 20_000
)
