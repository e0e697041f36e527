package simtest

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/experiment"
	"github.com/chubbycell/chubby/sim/runner"
)

// Sweep runs an experiment in Worlds, as `chubby sim experiment` does in cells: each seed in every
// place of the grid. at returns the World of a place, which has no Options. Judge, Sums and Waits of
// the experiment get the result of a World's run: its Breach, Events, Simulated, and what
// Result.Counter and Result.Measured return (World.Count, sim.Measure); experiment.WaitsOf takes
// measured durations.
//
// Sweep logs the table. With -sim.out it writes the tables and the picture below DIR/TEST, under the
// name of the experiment. The test does not fail by the event; it does if the simulator panics, or
// if no seed is judged in some place. A property that breaks in a seed that Judge calls Void is named
// below the table. The Seeds, From and Jobs of all Worlds must be equal. As with Compare, no seed is
// kept or shrunk, and -sim.seed skips the rest of the test.
//
// To compare two variants by several numbers, use Compare: it sees smaller differences. Sweep is for
// more than two values of a parameter.
func Sweep(t testing.TB, e experiment.Experiment, at func(experiment.Place) World) *experiment.Tally {
	t.Helper()
	return sweepWith(t, given, e, at)
}

func sweepWith(t testing.TB, f flags, e experiment.Experiment, at func(experiment.Place) World) *experiment.Tally {
	t.Helper()
	for _, p := range e.Grid {
		if !reflect.ValueOf(p.Options).IsZero() {
			t.Fatalf("simtest: experiment %q, series %q at %v has Options, which configure a cell: put what differs into its World", e.Name, p.Series, p.X)
		}
	}
	if err := e.Check(); err != nil {
		t.Fatalf("simtest: %v", err)
	}
	p := &paired{t: t, flags: f, wrong: func(_ int, r *cell.Result) bool { return r.Internal || r.Undecided }}
	for i, place := range e.Grid {
		below := fmt.Sprintf("%s-%v", strings.ReplaceAll(place.Series, " ", "-"), place.X)
		if place.Series == "" {
			below = fmt.Sprintf("%d-%v", i+1, place.X)
		}
		p.add(fmt.Sprintf("%s %v", place.Series, place.X), at(place), below)
	}
	p.run()
	tally := experiment.NewTally(e)
	for _, of := range p.results {
		for i := range of {
			tally.Add(i, &of[i])
		}
	}
	if p.tell() == 0 {
		for _, x := range tally.Points() {
			if x.Seeds > 0 && x.Judged == 0 {
				t.Errorf("none of %d seeds is judged in series %q at %v: Judge calls all of them Void", x.Seeds, x.Series, x.X)
			}
		}
	}
	p.end(tally.WriteTable, tally.Files(runner.ThisBuild().Short()))
	return tally
}
