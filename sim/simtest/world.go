package simtest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/runner"
)

// World configures the seeds of a world of the test's own: a protocol, any program on package sim,
// or servers and programs beside cells of package sim/cellkit. Its methods Run, Expect and Verify
// are like the functions with these names for the cell.
type World struct {
	// Scenario returns the run of a seed. It returns a new one on each call, on any goroutine: two
	// runs share nothing.
	Scenario func(seed uint64) sim.Scenario
	Config   sim.Config // of each world, except Seed; only Describe of its Trace is used

	Seeds uint64 // number of seeds to run; 0: 20
	From  uint64 // the first seed; 0: 1
	Jobs  int    // seeds at the same time; 0: one per processor

	// Judge is the only property whose breach fails a seed; "": any property. The seed goes on when
	// another one breaks, such as S1 of a Group, or L1; a sim.Ender then judges also a run in which
	// programs have not ended. Run logs how often others broke. A name that no property of the
	// Scenario has is for what World.Break reports; if it never does, and another property of the
	// test breaks, the test fails: the name is wrong. A panic fails a seed in any case.
	Judge string

	// Kept is the directory of failed seeds, each a file below the name of the test. Run writes
	// them, and runs them before all other seeds. "": testdata/sim.
	Kept string
}

// Run runs seeds, and fails the test if a property breaks or simulated code crashes. It runs the
// kept seeds first, and then the others, until ten of these have failed. It runs the shortest
// failure once more. If the failure comes again, Run reports which faults it needs, and keeps all
// failing seeds; otherwise it reports that the seed is not one history, and keeps none. It refuses a
// Scenario that does nothing.
func (x World) Run(t testing.TB) runner.Totals {
	t.Helper()
	return x.runWith(t, given)
}

// Expect runs seeds until one fails, as Expect does for the cell. That seed must break the property
// with this ID. No seed is kept.
func (x World) Expect(t testing.TB, property string) Found {
	t.Helper()
	return x.expectWith(t, given, property)
}

func (x World) expectWith(t testing.TB, f flags, property string) Found {
	t.Helper()
	return x.start(t, f, x.seed).expect(property)
}

// Verify runs each seed twice and fails the test if the two histories differ.
func (x World) Verify(t testing.TB) {
	t.Helper()
	s := x.start(t, given, twice(x.seed))
	s.verifies = true
	s.flags.out = "" // two runs of a seed have no files
	s.seeds()
}

func (x World) start(t testing.TB, f flags, run runner.Runner) *suite {
	t.Helper()
	if x.Scenario == nil {
		t.Fatalf("simtest: the World has no Scenario")
	}
	o, _ := f.over(Options{Seeds: x.Seeds, From: x.From, Jobs: x.Jobs})
	if x.isEmpty(o.From) {
		t.Fatalf("simtest: the Scenario of seed %d has neither Setup nor Workloads: nothing would run", o.From)
	}
	s := start(t, o, f, run)
	s.world, s.o.Judge, s.declares = true, x.Judge, x.isDeclared
	s.print = func(seed uint64, to printed) { x.run(seed, part{}, to.node, forPeople(t.Name(), seed, to.w, to.only)) }
	s.files = func(Options) {
		t.Helper()
		x.leave(s)
	}
	return s
}

// isEmpty reports whether the seed would run nothing. If Scenario panics, the run of its seed
// reports that.
func (x World) isEmpty(seed uint64) bool {
	defer func() { _ = recover() }()
	s := x.Scenario(seed)
	return s.Setup == nil && len(s.Workloads) == 0
}

func (x World) runWith(t testing.TB, f flags) runner.Totals {
	t.Helper()
	s := x.start(t, f, x.seed)
	s.story = func(r *cell.Result) string { return x.tell(s, r) }
	s.kept = keptOf(t, x.Kept)
	return s.seeds()
}

// leave writes the files of failing seeds, and of the seed of -sim.seed: trace, page, story, history and manifest.
func (x World) leave(s *suite) {
	s.t.Helper()
	if err := x.leaveTest(s); err != nil {
		s.t.Fatalf("-sim.out: %v", err)
	}
	for _, seed := range s.ran() {
		if s.hasFailed(seed.Seed) || s.flags.seed > 0 {
			if err := x.leaveSeed(s, seed.Seed); err != nil {
				s.t.Fatalf("-sim.out: %v", err)
			}
		}
	}
}

// leaveTest writes the manifest of a test: the hashes of all its seeds.
func (x World) leaveTest(s *suite) error {
	if err := os.MkdirAll(s.directory(), 0o755); err != nil {
		return err
	}
	m := worldManifest{Format: worldFormat, Test: s.t.Name(), Build: runner.ThisBuild(), Judge: x.Judge, Hashes: append([]runner.SeedHash{}, s.ran()...)}
	return m.write(filepath.Join(s.directory(), runner.ManifestFile))
}

// leaveSeed writes the files of a seed, the manifest last.
func (x World) leaveSeed(s *suite, seed uint64) error {
	s.t.Helper()
	dir := s.directoryOf(seed)
	if err := runner.RemoveArtifacts(dir); err != nil {
		return err
	}
	w, trace, html := x.leaveRun(s, seed, part{}, runner.TraceFile, runner.RunPageFile)
	if w.result.Failed() { // the story with only the faults that are needed replaces that of the seed that is shrunk
		s.writeStory(seed, before(s.tell(&w.result), w.story()))
	}
	m := x.manifest(s.t.Name(), part{}, &w.result)
	without, err := w.leaveHistories(dir)
	m.Page = without
	s.t.Logf("seed %d: trace in %s, page in %s", seed, trace, html)
	return errors.Join(err, m.write(filepath.Join(dir, runner.ManifestFile)))
}

// seed is a runner.Runner.
func (x World) seed(o plan.Options) cell.Result { return x.with(o, part{}) }

// with runs a seed with a part of its faults.
func (x World) with(o plan.Options, of part) cell.Result {
	s := x.Scenario(o.Seed)
	of.reduce(&s)
	cfg := x.Config
	cfg.Seed, cfg.Trace = o.Seed, o.Trace
	if cfg.Stuck == nil {
		cfg.Stuck = o.Stuck
	}
	if setup := s.Setup; x.Judge != "" {
		s.Setup = func(w *sim.World) {
			w.JudgeOnly(x.Judge)
			if setup != nil {
				setup(w)
			}
		}
	}
	p := s.Run(cfg)
	r := cell.Result{Seed: o.Seed, Hash: fmt.Sprintf("%016x", p.Hash), Events: p.Events, Simulated: p.Simulated, Counted: p.Failure == nil}
	for _, c := range p.Counters {
		r.Counters = append(r.Counters, cell.Number{Name: c.Name, Value: c.N})
	}
	r.Measures = p.Measures
	if f := p.Failure; f != nil {
		r.Stack = f.Stack
		b := breachOf(f)
		r.Breach = &b
	}
	for _, f := range p.Noted {
		r.Noted = append(r.Noted, breachOf(f))
	}
	for _, p := range s.Properties {
		if h, ok := p.(historian); ok && h.isUndecided() {
			r.Undecided, r.Counted = true, false
		}
	}
	return r
}

func breachOf(f *sim.Failure) cell.Breach {
	return cell.Breach{ID: f.ID, Text: f.Text, Check: f.Check, At: f.At, Step: f.Step, On: f.Machine, Conformance: f.Kind == sim.Conformance}
}

// tell describes what a seed did wrong, which faults it needs, and what led to the break with these
// faults. With -sim.out it writes a trace and a page of that run.
func (x World) tell(s *suite, r *cell.Result) string {
	s.t.Helper()
	text := s.tell(r)
	if r.Internal || r.Breach == nil {
		return text
	}
	small := x.shrink(r, s.shrinking())
	text = before(text, small.needs())
	if s.flags.out == "" {
		w := x.watch(s.t.Name(), r.Seed, small.part, io.Discard)
		return before(text, w.story()) + "\n-sim.out=DIR also writes its trace, page and history, and the shrunk case for World.Replay"
	}
	if !small.tried {
		return text
	}
	w, trace, html := x.leaveRun(s, r.Seed, small.part, runner.CaseTraceFile, runner.CasePageFile)
	text = before(text, w.story())
	m := x.manifest(s.t.Name(), small.part, &w.result)
	file := filepath.Join(s.directoryOf(r.Seed), runner.CaseFile)
	if err := m.write(file); err != nil {
		return text + fmt.Sprintf("\ncannot write the shrunk case: %v", err)
	}
	return text + fmt.Sprintf("\nwith only these faults: trace %s, page %s\nshrunk case, for World.Replay: %s", trace, html, file) + s.writeStory(r.Seed, text)
}

// run runs a seed once more, with the trace of a machine written to w; node 0: of all.
func (x World) run(seed uint64, of part, node sim.Addr, w io.Writer) cell.Result {
	run := runner.Guard(func(o plan.Options) cell.Result { return x.with(o, of) })
	return run(plan.Options{Seed: seed, Trace: sim.Trace{W: w, Node: node, Describe: x.Config.Trace.Describe}})
}
