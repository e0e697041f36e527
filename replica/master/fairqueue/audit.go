package fairqueue

import (
	"fmt"
	"maps"
	"slices"
)

// Audit says what is wrong with a Line. nil means that all is well.
func (l *Line[T]) Audit() error {
	waiting, turns := 0, 0
	for _, who := range slices.Sorted(maps.Keys(l.flows)) {
		f := l.flows[who]
		waiting += len(f.items)
		switch {
		case len(f.items) == 0 && f.inLog == 0:
			return fmt.Errorf("I-J1: %q has nothing under way", who)
		case f.inLog < 0 || who == House && f.inLog > 0:
			return fmt.Errorf("I-J3: %q has %d commands in the log", who, f.inLog)
		case l.ready(f) && !f.turn:
			return fmt.Errorf("I-J2: %q has no turn", who)
		case f.turn && len(f.items) == 0:
			return fmt.Errorf("I-J2: %q has a turn for nothing", who)
		}
		if f.turn {
			turns++
		}
	}
	for i, f := range l.turns {
		if !f.turn || l.flows[f.who] != f || slices.Contains(l.turns[:i], f) {
			return fmt.Errorf("I-J2: the turn of %q is not its own", f.who)
		}
	}
	if waiting != l.waiting || turns != len(l.turns) {
		return fmt.Errorf("I-J3: %d wait, counted %d; %d have turns, counted %d", waiting, l.waiting, turns, len(l.turns))
	}
	return nil
}
