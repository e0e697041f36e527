package simtest

import (
	"io"
	"testing"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/experiment"
	"github.com/chubbycell/chubby/sim/runner"
)

// Side is one of the two Worlds that Compare compares.
type Side struct {
	Name  string // in tables and pictures, such as "timeout 5 ms"
	World World

	// MayBreak lets seeds of this side break properties. Otherwise that fails the test. A panic of the
	// simulator itself fails it in any case.
	MayBreak bool
}

// Compared is what Compare found.
type Compared struct {
	Columns []experiment.Compared

	t testing.TB
}

// Column returns a column by its name. It ends the test if there is none.
func (c Compared) Column(name string) experiment.Compared {
	c.t.Helper()
	var names []string
	for _, r := range c.Columns {
		if r.Name == name {
			return r
		}
		names = append(names, r.Name)
	}
	c.t.Fatalf("simtest: no column %q was compared; there are %s", name, quoted(names))
	return experiment.Compared{}
}

// SeedsWithAViolation is the name of the first column of Compare: the share of seeds in which something broke.
const SeedsWithAViolation = "seeds with a violation"

// Compare runs the same seeds on two sides, such as a protocol with two timeouts, and compares what
// they measured, as `chubby sim compare` does for the cell: each column has the difference and its
// interval, which needs at least six seeds. It logs the table. With -sim.out it writes compare.csv
// and compare.svg below DIR/TEST, so a test that compares more than once does so in subtests.
//
// Column.Of is a name of sim.Measure, or a counter (World.Count, and net.sent, net.lost and others
// of the network; a seed that counted nothing has 0), or what each run has: "events", its steps, and
// "simulated", its seconds of true time. Without columns, all measures and counters of the runs are
// compared, except the counters of faults and those that are always 0. The first column is always SeedsWithAViolation. The
// other columns leave out seeds in which something broke on either side.
//
// The Seeds, From and Jobs of both Worlds must be equal. Compare runs no kept seed, keeps none and
// shrinks none; World.Run does. It ends when ten seeds have failed the test. With -sim.seed it runs
// that seed on both sides and skips the rest of the test, because one seed shows no difference.
func Compare(t testing.TB, a, b Side, columns ...experiment.Column) Compared {
	t.Helper()
	return compareWith(t, given, [2]Side{a, b}, columns)
}

func compareWith(t testing.TB, f flags, sides [2]Side, columns []experiment.Column) Compared {
	t.Helper()
	if a, b := sides[0].Name, sides[1].Name; a == "" || b == "" || a == b {
		t.Fatalf("simtest: the sides are named %q and %q: give each a name of its own", a, b)
	}
	checkColumns(t, columns)
	p := &paired{t: t, flags: f, wrong: func(i int, r *cell.Result) bool {
		return r.Internal || r.Undecided || r.Failed() && !sides[i].MayBreak
	}}
	p.add("A ("+sides[0].Name+")", sides[0].World, "a")
	p.add("B ("+sides[1].Name+")", sides[1].World, "b")
	p.run()
	all := columnsOf(p.results, columns)
	for _, wrong := range all.wrong {
		t.Errorf("simtest: %s", wrong)
	}
	c := experiment.NewComparison(sides[0].Name, sides[1].Name, all.columns)
	for _, of := range p.results {
		c.Add(experiment.A, all.sample(&of[0]))
		c.Add(experiment.B, all.sample(&of[1]))
	}
	rows := c.Compare()
	if all, whole := c.Pairs(); p.tell() == 0 && all > 0 && whole == 0 {
		t.Errorf("something broke in each of %d seeds, on one side or on both: nothing else can be compared", all)
	}
	p.end(func(w io.Writer) error { return c.WriteTable(w, rows) }, []experiment.File{
		{Name: "compare.csv", Write: c.WriteCSV},
		{Name: "compare.svg", Write: func(w io.Writer) error { return c.WriteSVG(w, rows, runner.ThisBuild().Short()) }},
	})
	return Compared{rows, t}
}
