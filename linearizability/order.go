package linearizability

import (
	"cmp"
	"slices"
)

// placement is an operation's position with its index, so that sorting moves small values.
type placement struct {
	at Position
	op int32
}

// splitByPosition returns the operations with a position, in its order, and the
// completed ones without, in order of call.
func splitByPosition[I, O any](h *History[I, O]) (logged, unlogged []int32) {
	ops := h.Operations()
	placements := make([]placement, 0, len(ops))
	for i := range ops {
		op := &ops[i]
		if !op.At.IsZero() {
			placements = append(placements, placement{op.At, int32(i)})
		} else if op.Outcome == OutcomeOK {
			unlogged = append(unlogged, int32(i))
		}
	}
	sortPlacements(placements)
	logged = make([]int32, len(placements))
	for i := range placements {
		logged[i] = placements[i].op
	}
	return logged, unlogged
}

// sortPlacements sorts by position, then by call. Operations come in the order of their calls
// and a log has them in nearly the same order, so insertion sort is linear. If it is not, a
// general sort starts again.
func sortPlacements(ps []placement) {
	moves := 16 * len(ps)
	for i := 1; i < len(ps); i++ {
		p, j := ps[i], i
		for ; j > 0 && p.at.Less(ps[j-1].at); j-- {
			ps[j] = ps[j-1]
			moves--
		}
		ps[j] = p
		if moves < 0 {
			slices.SortFunc(ps, comparePlacements)
			return
		}
	}
}

func comparePlacements(a, b placement) int {
	return cmp.Or(cmp.Compare(a.at.Slot, b.at.Slot), cmp.Compare(a.at.Index, b.at.Index), cmp.Compare(a.op, b.op))
}
