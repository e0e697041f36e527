package simtest

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/moments"
)

// printed is a trace for people: where it goes, and which of its lines.
type printed struct {
	w    io.Writer
	node sim.Addr        // 0: of all machines
	only *moments.Filter // nil: every line
}

// filter returns the filter of a run, and the machine whose lines are printed; 0: all.
func (s *selection) filter() (*moments.Filter, sim.Addr, error) {
	f := &moments.Filter{Slot: s.slot, About: s.about, From: s.since, Until: s.before}
	if s.kinds != "" {
		f.Kinds = strings.Split(s.kinds, ",")
	}
	if s.since < 0 || s.before < 0 || s.before > 0 && s.before < s.since {
		return nil, 0, fmt.Errorf("-sim.since %v -sim.before %v: both must be at least 0, and -sim.before not below -sim.since", s.since, s.before)
	}
	if slices.Contains(f.Kinds, "") {
		return nil, 0, fmt.Errorf("-sim.kind %q: a name is empty", s.kinds)
	}
	if s.node == "" {
		return f, 0, nil
	}
	node, err := moments.ParseMachine(s.node)
	if err != nil {
		return nil, 0, fmt.Errorf("-sim.node %w", err)
	}
	return f, node, nil
}

// printTrace does what -sim.trace, and the flags that select its lines, ask for.
func (s *suite) printTrace() {
	s.t.Helper()
	switch {
	case !s.flags.trace && s.flags.only != selection{}:
		s.t.Fatalf("-sim.kind, -sim.node, -sim.slot, -sim.about, -sim.since and -sim.before select lines of a trace: give -sim.trace, too")
	case !s.flags.trace:
		return
	case s.flags.seed == 0:
		s.t.Fatalf("-sim.trace prints one seed: give -sim.seed, too")
	case s.print == nil:
		return
	}
	only, node, err := s.flags.only.filter()
	if err != nil {
		s.t.Fatalf("%v", err)
	}
	s.print(s.flags.seed, printed{os.Stdout, node, only})
	for _, text := range only.Unmatched() {
		s.t.Logf("-sim.trace: %s", text)
	}
}
