package simtest

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	Config   sim.Config // of each world, but for Seed; of Trace, only Describe is used

	Seeds uint64 // that are run, from the first one on; 0: 20
	From  uint64 // the first seed; 0: 1
	Jobs  int    // seeds at a time; 0: one a processor

	// Kept is the directory of seeds that have failed, each a file below the name of the test,
	// which Run writes and which it runs before all others; "": testdata/sim.
	Kept string
}

// Run runs seeds, first those that failed before, and fails the test where a property breaks or
// simulated code crashes. It ends at the first failure of a seed that was kept, or else after
// ten. The shortest failure is run once more: if it comes again, Run says which faults it needs and keeps
// that seed, or else that the seed is not one history. A Scenario of which nothing comes is refused.
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
	o, _ := f.over(Options{Seeds: x.Seeds, From: x.From, Jobs: x.Jobs})
	if x.isEmpty(o.From) {
		t.Fatalf("simtest: the Scenario of seed %d has neither Setup nor Workloads: nothing would run", o.From)
	}
	s := start(t, o, f, run)
	s.world = true
	return s
}

// isEmpty says that nothing would run. A Scenario that panics says so in the run of its seed.
func (x World) isEmpty(seed uint64) bool {
	defer func() { _ = recover() }()
	s := x.Scenario(seed)
	return s.Setup == nil && len(s.Workloads) == 0
}

func (x World) runWith(t testing.TB, f flags) runner.Totals {
	t.Helper()
	out := f.out
	f.out = "" // what a cell leaves behind is not what a world does
	s := x.start(t, f, x.seed)
	s.story = func(r *cell.Result) string { return x.tell(s, r, out) }
	s.print = func(seed uint64, w io.Writer) { x.with(plan.Options{Seed: seed, Trace: sim.Trace{W: w}}, part{}) }
	s.kept = keptOf(t, x.Kept)
	totals := s.seeds()
	if out != "" && f.seed > 0 && len(s.failed) == 0 {
		t.Logf("trace: %s", x.trace(t, out, f.seed, part{}))
	}
	return totals
}

// seed is a runner.Runner.
func (x World) seed(o plan.Options) cell.Result { return x.with(o, part{}) }

// with runs a seed with a part of its faults.
func (x World) with(o plan.Options, of part) cell.Result {
	s := x.Scenario(o.Seed)
	of.of(&s)
	cfg := x.Config
	cfg.Seed, cfg.Trace = o.Seed, o.Trace
	if cfg.Stuck == nil {
		cfg.Stuck = o.Stuck
	}
	if cfg.Trace.Describe == nil {
		cfg.Trace.Describe = x.Config.Trace.Describe
	}
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

// tell says what a seed did wrong, and what it needs for that. With a directory it leaves a trace.
func (x World) tell(s *suite, r *cell.Result, out string) string {
	s.t.Helper()
	text := s.tell(r)
	if r.Internal {
		return text
	}
	small := x.shrink(r, s.shrinking())
	if needs := small.needs(); needs != "" {
		text = strings.Replace(text, "\nrun it again: ", "\n"+needs+"\nrun it again: ", 1)
	}
	if out == "" {
		return text + "\nwith -sim.out=DIR: its trace, too"
	}
	return text + "\ntrace, with those faults alone: " + x.trace(s.t, out, r.Seed, small.part)
}

// trace writes what happens in a seed below a directory, and returns the name of the file.
func (x World) trace(t testing.TB, out string, seed uint64, of part) string {
	t.Helper()
	file := filepath.Join(out, filepath.FromSlash(t.Name()), fmt.Sprintf("seed-%d", seed), runner.TraceFile)
	err := os.MkdirAll(filepath.Dir(file), 0o755)
	var f *os.File
	if err == nil {
		f, err = os.Create(file)
	}
	if err == nil {
		x.with(plan.Options{Seed: seed, Trace: sim.Trace{W: f}}, of)
		err = f.Close()
	}
	if err != nil {
		t.Fatalf("-sim.out: %v", err)
	}
	return file
}
