package simtest

import (
	"fmt"
	"testing"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/runner"
)

// Found is a seed that broke the property which a test expected to break.
type Found struct {
	Seed uint64
	Text string // the report of the break
}

// Expect runs seeds until one fails. That seed must break the property with this ID. It is for
// tests that plant a bug to see a checker catch it. If no seed fails, or if the first failing seed
// breaks something else, the test fails and Expect does not return.
func Expect(t testing.TB, o Options, property string) Found {
	t.Helper()
	return expectWith(t, o, given, cell.Run, property)
}

func expectWith(t testing.TB, o Options, f flags, run runner.Runner, property string) Found {
	t.Helper()
	s := start(t, o, f, run)
	s.print = s.printCell
	return s.expect(property)
}

func (s *suite) expect(property string) Found {
	s.t.Helper()
	s.printTrace()
	o, most := s.flags.over(s.o)
	s.fitsDeadline()
	s.batch(o, most, 1)
	if s.flags.out != "" {
		s.files(o)
	}
	if len(s.failed) == 0 {
		s.t.Fatalf("no seed broke %s: %d seeds ran, from %d on%s", property, s.tally.Totals(0).Seeds, o.From, s.notJudged())
	}
	r := &s.failed[0]
	if r.Internal || r.Breach == nil || r.Breach.ID != property {
		s.t.Fatalf("expected %s to break, but this came first:\n%s", property, before(s.tell(r), s.alone(r, property)))
	}
	s.t.Logf("seed %d: %s broke, as expected: %s", r.Seed, property, r.Breach.Text)
	return Found{Seed: r.Seed, Text: r.Breach.Text}
}

// alone says how to judge a property alone, if another one broke first; "": that would not help.
func (s *suite) alone(r *cell.Result, property string) string {
	if r.Internal || r.Breach == nil || r.Breach.ID == "" || s.o.Judge != "" {
		return ""
	}
	return fmt.Sprintf("Judge: %q makes other properties end no seed", property)
}
