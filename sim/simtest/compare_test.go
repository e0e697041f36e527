package simtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/experiment"
)

// timed is a world in which something takes so long, and in seeds above quiet nothing is counted. From some seed on P1
// breaks.
func timed(seconds float64, quiet, breaks uint64) World {
	return World{Seeds: 8, Scenario: func(seed uint64) sim.Scenario {
		return sim.Scenario{Safety: time.Second, Setup: func(w *sim.World) {
			w.Add(sim.MachineConfig{Process: func() sim.Process { return deaf{} }}).Start()
			for i := range 3 {
				sim.Measure(w, "took", seconds+float64(seed)/100+float64(i)/1000)
			}
			if seed <= quiet {
				w.Count("noise")
			}
			if seed >= breaks {
				w.Break("P1", "seed %d is too much", seed)
			}
		}}
	}}
}

func sides(a, b World) [2]Side { return [2]Side{{Name: "short", World: a}, {Name: "long", World: b}} }

// Without columns all measures and counters are compared. A seed that counted nothing has 0 of a counter, and none of a
// measure.
func TestWhatWasMeasuredIsCompared(t *testing.T) {
	var c Compared
	l := listen(t, func(l *listener) {
		c = compareWith(l, flags{out: t.TempDir()}, sides(timed(1, 4, 99), timed(2, 8, 99)), nil)
	})
	require.Empty(t, l.errors)
	require.Regexp(t, `A: short\n *B: long\n *8 paired seeds; in 8 of them nothing broke`, l.logs[0])
	took := c.Column("took p50")
	require.InDelta(t, 1, took.Difference.Value, 1e-9)
	require.True(t, took.Differs)
	require.Equal(t, [2]int{24, 24}, took.Values)
	noise := c.Column("noise")
	require.Equal(t, [2]int{8, 8}, noise.Values, "the seeds without any have 0")
	require.InDelta(t, 0.5, noise.A.Value, 1e-9)
	require.InDelta(t, 1, noise.B.Value, 1e-9)
	var names []string
	for _, r := range c.Columns {
		names = append(names, r.Name)
	}
	require.Equal(t, []string{SeedsWithAViolation, "took p50", "took p90", "noise", "events"}, names, "net.sent is 0, and fault.start is of a fault")
	for _, file := range []string{"compare.csv", "compare.svg"} {
		require.Contains(t, strings.Join(l.logs, "\n"), filepath.Join(t.Name(), file))
	}
	l = listen(t, func(*listener) { c.Column("tokk") })
	require.Empty(t, l.fatal, "Column ends the test that compared")
	l = listen(t, func(l *listener) { Compared{c.Columns, l}.Column("tokk") })
	require.Contains(t, l.fatal, `no column "tokk" was compared; there are "seeds with a violation", "took p50", "took p90", "noise", "events"`)
}

// A break fails the test and names the side, the seed and the command that runs it again. A side that may break is only
// counted.
func TestABreakOfASideFailsTheTest(t *testing.T) {
	out := t.TempDir()
	both := sides(timed(1, 0, 99), timed(2, 0, 7))
	l := listen(t, func(l *listener) { compareWith(l, flags{out: out}, both, nil) })
	require.Len(t, l.errors, 2)
	require.Contains(t, l.errors[0], "B (long): seed 7: P1 broke: seed 7 is too much\nto reproduce: go test ")
	require.FileExists(t, filepath.Join(out, t.Name(), "b", "seed-7", "trace.txt"))
	require.FileExists(t, filepath.Join(out, t.Name(), "a", "manifest.json"), "the hashes of its seeds")
	require.NoDirExists(t, filepath.Join(out, t.Name(), "a", "seed-7"), "this side is clean")
	table, err := os.ReadFile(filepath.Join(out, t.Name(), "compare.csv"))
	require.NoError(t, err)
	require.Contains(t, string(table), "\n8,,P1,0,1,1.081,,")

	both[1].MayBreak = true
	var c Compared
	l = listen(t, func(l *listener) { c = compareWith(l, flags{}, both, nil) })
	require.Empty(t, l.errors)
	require.InDelta(t, 0.25, c.Column(SeedsWithAViolation).B.Value, 1e-9)
	require.Equal(t, 6, c.Column("took p50").Pairs, "the others say little")
	both[1].World = timed(2, 0, 1)
	l = listen(t, func(l *listener) { compareWith(l, flags{}, both, nil) })
	require.Equal(t, []string{"something broke in each of 8 seeds, on one side or on both: nothing else can be compared"}, l.errors)
}

// A comparison that cannot mean what it says is refused, or fails the test.
func TestComparisonsThatAreRefused(t *testing.T) {
	fatal := func(both [2]Side, columns ...experiment.Column) string {
		return listen(t, func(l *listener) { compareWith(l, flags{}, both, columns) }).fatal
	}
	good := sides(timed(1, 0, 99), timed(2, 0, 99))
	require.Contains(t, fatal([2]Side{{World: good[0].World}, good[1]}), `the sides are named "" and "long": give each a name of its own`)
	require.Contains(t, fatal([2]Side{good[0], {Name: "short", World: good[1].World}}), `named "short" and "short"`)
	require.Contains(t, fatal([2]Side{good[0], {Name: "none"}}), "the World has no Scenario")
	more := good
	more[1].World.Seeds = 9
	require.Contains(t, fatal(more), "Seeds, From and Jobs are 8, 0 and 0 for A (short), and 9, 0 and 0 for B (long): make them equal")
	took := experiment.Column{Name: "took", Of: "took"}
	require.Contains(t, fatal(good, took, took), `a column is named "took": give each a name of its own`)
	require.Contains(t, fatal(good, experiment.Column{Of: "took"}), `a column is named ""`)
	require.Contains(t, fatal(good, experiment.Column{Name: "p100", Of: "took", Percent: 100}), `column "p100": Percent is 100: 1 to 99, or 0 for the mean`)

	l := listen(t, func(l *listener) { compareWith(l, flags{}, good, []experiment.Column{{Name: "x", Of: "tuuk"}}) })
	require.Len(t, l.errors, 1)
	require.Contains(t, l.errors[0], `column "x" is of "tuuk", which no run has measured or counted; there are "took", "fault.net.heal"`)
	clash := timed(1, 8, 99)
	scenario := clash.Scenario
	clash.Scenario = func(seed uint64) sim.Scenario {
		s := scenario(seed)
		setup := s.Setup
		s.Setup = func(w *sim.World) { setup(w); sim.Measure(w, "noise", 1) }
		return s
	}
	l = listen(t, func(l *listener) { compareWith(l, flags{}, sides(clash, timed(2, 8, 99)), nil) })
	require.Contains(t, strings.Join(l.errors, "\n"), `sim.Measure is called with "noise", which is the name of a counter`)
}

// With -sim.seed what follows in the test is skipped: it would judge a difference.
func TestOneSeedOfAComparisonIsShown(t *testing.T) {
	out := t.TempDir()
	l := listen(t, func(l *listener) {
		compareWith(l, flags{seed: 3, out: out}, sides(timed(1, 0, 99), timed(2, 0, 99)), nil)
	})
	require.Contains(t, l.skipped, "seed 3 ran in each world")
	for _, side := range []string{"a", "b"} {
		require.FileExists(t, filepath.Join(out, t.Name(), side, "seed-3", "page.html"))
	}
}

// long asks in which seeds something took more than 1.055 s.
func long(xs ...float64) experiment.Experiment {
	e := experiment.Experiment{Name: "long", Event: "long ones", Axis: "seconds", Waits: experiment.WaitsOf("took"), Judge: func(r *cell.Result) experiment.Verdict {
		switch {
		case r.Failed():
			return experiment.Void
		case r.Measured("took")[0] > 1.055:
			return experiment.Hit
		}
		return experiment.Miss
	}, Sums: func(r *cell.Result) []cell.Number { return []cell.Number{{Name: "noise", Value: r.Counter("noise")}} }}
	for _, x := range xs {
		e.Grid = append(e.Grid, experiment.Place{Series: "timed", X: x})
	}
	return e
}

func TestAnExperimentRunsInWorlds(t *testing.T) {
	out := t.TempDir()
	var tally *experiment.Tally
	l := listen(t, func(l *listener) {
		tally = sweepWith(l, flags{out: out}, long(1, 2), func(p experiment.Place) World { return timed(p.X, 3, 8) })
	})
	require.Empty(t, l.errors, "an event fails no test")
	points := tally.Points()
	require.Equal(t, []int{8, 7, 2}, []int{points[0].Seeds, points[0].Judged, points[0].Hits}, "seeds 6 and 7")
	require.Equal(t, 7, points[1].Hits)
	require.EqualValues(t, 3, points[0].Sums[0].Value)
	require.Equal(t, 21, points[0].Waits.Clients)
	require.InDelta(t, 1.041, points[0].Waits.P50.Value, 1e-3)
	require.Contains(t, l.logs[0], "seed 8, timed 1: P1 seed 8 is too much")
	for _, file := range []string{"long.csv", "long-seeds.csv", "long-sums.csv", "long-waits.csv", "long.svg"} {
		require.FileExists(t, filepath.Join(out, t.Name(), file))
	}
}

func TestExperimentsInWorldsThatAreRefused(t *testing.T) {
	run := func(e experiment.Experiment, f flags, at func(experiment.Place) World) *listener {
		return listen(t, func(l *listener) { sweepWith(l, f, e, at) })
	}
	good := func(p experiment.Place) World { return timed(p.X, 3, 99) }
	require.Contains(t, run(long(), flags{}, good).fatal, "Grid is empty")
	of := long(1)
	of.Grid[0].Options.Clients = 3
	require.Contains(t, run(of, flags{}, good).fatal, `experiment "long", series "timed" at 1 has Options, which configure a cell`)
	void := run(long(1), flags{}, func(p experiment.Place) World { return timed(p.X, 3, 1) })
	require.Equal(t, []string{`none of 8 seeds is judged in series "timed" at 1: Judge calls all of them Void`}, void.errors)
	panics := run(long(1), flags{}, func(experiment.Place) World {
		x := timed(1, 0, 99)
		x.Scenario = func(uint64) sim.Scenario { panic("a bug of the test") }
		return x
	})
	require.Contains(t, panics.errors[0], "timed 1: seed 1: internal: the simulator panicked: a bug of the test")
	require.Contains(t, run(long(1), flags{seed: 2}, good).skipped, "seed 2 ran in each world")
}
