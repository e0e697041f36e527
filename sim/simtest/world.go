package simtest

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/runner"
)

// World is what a test asks of seeds of a world of its own, with no cell in it: a protocol, or
// any program on package sim. Its methods are what Run, Expect and Verify are for the cell.
type World struct {
	// Scenario makes the run of a seed anew each time it is called, on any goroutine: two of
	// its runs share nothing.
	Scenario func(seed uint64) sim.Scenario
	Config   sim.Config // of each world, but for Seed and Trace

	Seeds uint64 // that are run, from the first one on; 0: 20
	From  uint64 // the first seed; 0: 1
	Jobs  int    // seeds at a time; 0: one a processor

	// Kept is the directory of seeds that have failed, each a file below the name of the test,
	// which Run writes and which it runs before all others; "": testdata/sim.
	Kept string
}

// mostShrinking is how long, in real time, a failure is made smaller.
const mostShrinking = 10 * time.Second

// Run runs seeds, first those that failed before, and fails the test where a property breaks or
// simulated code crashes. It ends at the first failure of a seed that was kept, or else after
// ten. Of the first failure it says which kinds of faults it needs, and that seed is kept.
func (x World) Run(t testing.TB) runner.Totals {
	t.Helper()
	return x.runWith(t, given)
}

// Expect runs seeds until one fails, which must break the property of this ID, as Expect does for
// the cell. No seed is kept.
func (x World) Expect(t testing.TB, property string) Found {
	t.Helper()
	return x.start(t, given, x.seed).expect(property)
}

// Verify runs each seed twice and fails the test where the two have different histories.
func (x World) Verify(t testing.TB) {
	t.Helper()
	s := x.start(t, given, twice(x.seed))
	s.verifies = true
	s.flags.out = ""
	s.seeds()
}

func (x World) start(t testing.TB, f flags, run runner.Runner) *suite {
	t.Helper()
	if x.Scenario == nil {
		t.Fatalf("simtest: a World without a Scenario")
	}
	return start(t, Options{Seeds: x.Seeds, From: x.From, Jobs: x.Jobs}, f, run)
}

func (x World) runWith(t testing.TB, f flags) runner.Totals {
	t.Helper()
	out := f.out
	f.out = "" // what a cell leaves behind is not what a world does
	s := x.start(t, f, x.seed)
	s.story = func(r *cell.Result) string { return x.tell(s, r, out) }
	s.print = func(seed uint64, w io.Writer) { x.without(plan.Options{Seed: seed, Trace: sim.Trace{W: w}}, nil) }
	s.kept = keptOf(t, x.Kept)
	totals := s.seeds()
	if out != "" && f.seed > 0 && len(s.failed) == 0 {
		t.Logf("trace: %s", x.trace(t, out, f.seed, nil))
	}
	return totals
}

// seed is a runner.Runner.
func (x World) seed(o plan.Options) cell.Result { return x.without(o, nil) }

// without runs a seed without the faults of some numbers. The others draw what they drew.
func (x World) without(o plan.Options, off []int) cell.Result {
	s := x.Scenario(o.Seed)
	s.Faults = slices.Clone(s.Faults)
	for _, i := range off {
		s.Faults[i] = quiet{s.Faults[i]}
	}
	cfg := x.Config
	cfg.Seed, cfg.Trace = o.Seed, o.Trace
	p := s.Run(cfg)
	r := cell.Result{Seed: o.Seed, Hash: fmt.Sprintf("%016x", p.Hash), Events: p.Events, Simulated: p.Simulated, Counted: p.Failure == nil}
	for _, c := range p.Counters {
		r.Counters = append(r.Counters, cell.Number{Name: c.Name, Value: c.N})
	}
	if f := p.Failure; f != nil {
		r.Stack = f.Stack
		r.Breach = &cell.Breach{ID: f.ID, Text: f.Text, Check: f.Check, At: f.At, Step: f.Step, On: f.Machine, Conformance: f.Kind == sim.Conformance}
	}
	return r
}

// quiet is a fault that does nothing.
type quiet struct{ sim.Fault }

func (quiet) Run(*sim.Stage) {}

// tell says what a seed did wrong, and what it needs for that. With a directory it leaves a trace.
func (x World) tell(s *suite, r *cell.Result, out string) string {
	s.t.Helper()
	text := s.tell(r)
	if r.Internal {
		return text
	}
	needs, off := x.shrunk(r)
	text = strings.Replace(text, "\nrun it again: ", "\n"+needs+"\nrun it again: ", 1)
	if out == "" {
		return text + "\nwith -sim.out=DIR: its trace, too"
	}
	return text + "\ntrace, with those faults alone: " + x.trace(s.t, out, r.Seed, off)
}

// trace writes what happens in a seed below a directory, and returns the name of the file.
func (x World) trace(t testing.TB, out string, seed uint64, off []int) string {
	t.Helper()
	file := filepath.Join(out, filepath.FromSlash(t.Name()), fmt.Sprintf("seed-%d", seed), runner.TraceFile)
	err := os.MkdirAll(filepath.Dir(file), 0o755)
	var f *os.File
	if err == nil {
		f, err = os.Create(file)
	}
	if err == nil {
		x.without(plan.Options{Seed: seed, Trace: sim.Trace{W: f}}, off)
		err = f.Close()
	}
	if err != nil {
		t.Fatalf("-sim.out: %v", err)
	}
	return file
}

// shrunk leaves out kinds of faults, as long as the same check breaks the same property. It says
// what is left, and which are off.
func (x World) shrunk(r *cell.Result) (needs string, off []int) {
	all := x.Scenario(r.Seed).Faults
	end := time.Now().Add(mostShrinking)
	last := *r
	var left []string
	for i, f := range all {
		if time.Now().Before(end) {
			if t := runner.Guard(func(o plan.Options) cell.Result { return x.without(o, append(slices.Clone(off), i)) })(plan.Options{Seed: r.Seed}); t.Breach.Same(r.Breach) && !t.Internal {
				off, last = append(off, i), t
				continue
			}
		}
		left = append(left, f.Name())
	}
	if left == nil {
		left = []string{"none"}
	}
	needs = fmt.Sprintf("it needs, of %d kinds of faults: %s; then it breaks at %.3f s of true time, event %d", len(all), strings.Join(left, ", "), last.Breach.At.Seconds(), last.Breach.Step)
	return needs, off
}
