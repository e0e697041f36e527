package fairqueue

import (
	"fmt"
	"maps"
	"slices"
)

// Audit returns the first fault that it finds in a Queue; nil: it has none.
func (q *Queue[T]) Audit() error {
	waiting, turns := 0, 0
	for _, who := range slices.Sorted(maps.Keys(q.flows)) {
		f := q.flows[who]
		waiting += len(f.items)
		switch {
		case len(f.items) == 0 && f.inLog == 0:
			return fmt.Errorf("I-J1: %q has nothing under way", who)
		case f.inLog < 0 || who == System && f.inLog > 0:
			return fmt.Errorf("I-J3: %q has %d commands in the log", who, f.inLog)
		case q.canStart(f) && !f.turn:
			return fmt.Errorf("I-J2: %q has no turn", who)
		case f.turn && len(f.items) == 0:
			return fmt.Errorf("I-J2: %q has a turn for nothing", who)
		}
		if f.turn {
			turns++
		}
	}
	for i, f := range q.turns {
		if !f.turn || q.flows[f.who] != f || slices.Contains(q.turns[:i], f) {
			return fmt.Errorf("I-J2: the turn of %q is not its own", f.who)
		}
	}
	if waiting != q.waiting || turns != len(q.turns) {
		return fmt.Errorf("I-J3: %d wait, counted %d; %d have turns, counted %d", waiting, q.waiting, turns, len(q.turns))
	}
	return nil
}
