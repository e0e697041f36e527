package simtest

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/runner"
)

// mostFailures is the number of failing seeds that ends a test.
const mostFailures = 10

// suite runs the seeds of one test.
type suite struct {
	t      testing.TB
	o      Options
	flags  flags
	run    runner.Runner
	tally  runner.Tally
	failed []cell.Result // whole
	all    []runner.SeedHash
	spared []spared

	story    func(*cell.Result) string     // describes one failing seed; nil: it is described like the others
	kept     *keptSeeds                    // of earlier runs, and of this one; nil: none
	again    map[uint64]bool               // kept seeds that failed again
	differs  bool                          // a failing seed is not one history: none is kept
	verifies bool                          // each seed is run twice
	world    bool                          // seeds are those of a World, not of a cell
	print    func(seed uint64, to printed) // for -sim.trace; nil: nothing is printed
	files    func(o Options)               // writes the files of -sim.out
	below    string                        // directory of the files, below that of the test; "": that one
	declares func(seed uint64) bool        // whether Judge is the name of a property that the seed declares
}

// Run runs seeds. It fails the test if a seed breaks a property, if the simulated code crashes, if
// a checker gives up, or if fewer seeds count than Options.MinCounted demands. It runs the kept
// seeds first, and then the others, until ten of these have failed.
//
// Run then runs the shortest failure once more, shrinks it, tells its story, and keeps all failing
// seeds. If the failure does not come again, the seed is not one history: Run reports that instead,
// and keeps none. Run
// returns the totals of all seeds, for tests that require that a fault has struck or that a counter
// of World.Count is above 0.
func Run(t testing.TB, o Options) runner.Totals {
	t.Helper()
	return runWith(t, o, given, cell.Run)
}

func runWith(t testing.TB, o Options, f flags, run runner.Runner) runner.Totals {
	t.Helper()
	s := start(t, o, f, run)
	s.story, s.print, s.kept = s.tellCase, s.printCell, keptOf(t, o.Kept)
	return s.seeds()
}

// Verify runs each seed twice and fails the test if the two histories differ. Then something in the
// extension depends on more than its Draw and its events, such as the order of a map, the clock of
// the machine, or a variable that outlives the run.
func Verify(t testing.TB, o Options) {
	t.Helper()
	s := start(t, o, given, twice(cell.Run))
	s.verifies = true
	s.seeds()
}

func start(t testing.TB, o Options, f flags, run runner.Runner) *suite {
	t.Helper()
	if err := o.check(); err != nil {
		t.Fatalf("simtest: these options cannot run: %v", err)
	}
	s := &suite{t: t, o: o, flags: f, run: func(p plan.Options) cell.Result {
		p.Stuck = func(text string) { panic(text + "\n" + reproduce(t.Name(), p.Seed, runner.ThisBuild())) }
		return run(p)
	}}
	s.files, s.declares = s.leave, func(uint64) bool { return !o.isReported }
	return s
}

// seeds runs all seeds, and judges them.
func (s *suite) seeds() runner.Totals {
	s.t.Helper()
	s.printTrace()
	s.runAgain()
	o, most := s.flags.over(s.o)
	s.fitsDeadline()
	began := time.Now()
	s.batch(o, most, mostFailures)
	totals := s.tally.Totals(time.Since(began))
	if s.flags.out != "" {
		s.files(o) // before the case is written, since it removes the case of an earlier run
	}
	s.tellFailures()
	switch want, misjudged := uint64(o.demanded()), s.misjudged(); {
	case misjudged != "" && len(s.failed) == 0:
		s.t.Errorf("%s", misjudged)
	case totals.Seeds == 0 && len(s.failed) == 0 && s.t.Context().Err() == nil && s.flags.limit == 0:
		s.t.Errorf("no seed ran to its end: simulated code ended its goroutine, as t.FailNow, t.Fatal and package require do; report failures there by World.Break, a property or a panic")
	case s.world && !s.verifies && totals.Events == 0 && len(s.failed) == 0:
		s.t.Errorf("nothing happened in %d seeds: the Scenario has no Safety, or Setup starts no machine", totals.Seeds)
	case s.flags.seed == 0 && len(s.failed) == 0 && totals.Counted < want:
		s.t.Errorf("%d of %d seeds counted, %d must: the others simulated less than %v or %d answered calls, or fewer than a fifth of them were contended (see Program.Done)",
			totals.Counted, totals.Seeds, want, cell.FloorTime, cell.FloorOps)
	}
	s.t.Logf("%s", s.sum(&totals))
	return totals
}

// sum describes the totals of the seeds in one line.
func (s *suite) sum(t *runner.Totals) string {
	what := fmt.Sprintf("%d seeds, of which %d counted", t.Seeds, t.Counted)
	if s.verifies {
		what = fmt.Sprintf("%d seeds, each run twice", t.Seeds)
	}
	if s.flags.seed > 0 {
		what = fmt.Sprintf("seed %d", s.flags.seed)
	}
	if s.world && !s.verifies {
		what += fmt.Sprintf("; %d events in %v of simulated time%s", t.Events, t.Simulated.Round(time.Millisecond), counted(t, "fault."))
	}
	if t.Ops+t.Unknown > 0 {
		what += fmt.Sprintf("; %d calls were answered, %d ended without an answer; %d faults struck, %d fail-overs", t.Ops, t.Unknown, t.Strikes, t.Failovers)
	}
	if !s.world {
		what += counted(t, "fault.", "faults.", "net.")
	}
	return fmt.Sprintf("%s%s; hash of all seeds %s", what, s.notJudged(), t.Hash)
}

// counted lists the counters above 0, except those whose names have one of the prefixes. Those in "fault." count what
// strikes and tests do to machines; strikes have counters of their own.
func counted(t *runner.Totals, except ...string) string {
	text := ""
	for _, c := range t.Counters {
		isExcept := slices.ContainsFunc(except, func(p string) bool { return strings.HasPrefix(c.Name, p) })
		switch {
		case c.Sum == 0 || isExcept:
		case c.Seeds == t.Seeds:
			text += fmt.Sprintf(", %s %d", c.Name, c.Sum)
		default:
			text += ", " + c.String()
		}
	}
	return text
}

// shortest returns the index of the failing seed to shrink: the one with the fewest events, whose
// runs take the least time.
func (s *suite) shortest() (best int) {
	for i := range s.failed {
		if !s.failed[i].Internal && (s.failed[best].Internal || s.failed[i].Events < s.failed[best].Events) {
			best = i
		}
	}
	return best
}

// batch runs seeds: at most that many (0: no maximum), and none after that many failures.
func (s *suite) batch(o Options, most uint64, failures int) {
	runner.Batch{
		Options: o.plan(), From: o.From, Most: most, For: s.flags.limit, Jobs: o.Jobs, MaxFailures: failures, Runner: s.run,
		Each: func(r cell.Result) {
			s.tally.Add(r)
			s.spare(&r)
			if (r.Failed() || r.Undecided) && !s.again[r.Seed] {
				s.failed = append(s.failed, r)
			}
			s.all = append(s.all, hashOf(&r))
		},
	}.Run(s.t.Context())
}

// fitsDeadline refuses a -sim.for that exceeds the time limit of the test binary.
func (s *suite) fitsDeadline() {
	s.t.Helper()
	d, ok := s.t.(interface{ Deadline() (time.Time, bool) })
	if !ok || s.flags.limit == 0 {
		return
	}
	if at, ok := d.Deadline(); ok && time.Until(at) < s.flags.limit {
		s.t.Fatalf("-sim.for %v: go test ends this test in %v; add -timeout 0, or a longer one", s.flags.limit, time.Until(at).Round(time.Second))
	}
}

// directory returns the directory of -sim.out for this test, or for this side of it.
func (s *suite) directory() string {
	return filepath.Join(s.flags.out, filepath.FromSlash(s.t.Name()), s.below)
}

// directoryOf returns the directory of -sim.out for a seed.
func (s *suite) directoryOf(seed uint64) string {
	return filepath.Join(s.directory(), fmt.Sprintf("seed-%d", seed))
}

// leave writes the files of -sim.out.
func (s *suite) leave(o Options) {
	s.t.Helper()
	dir := s.directory()
	first := o.plan()
	first.Seed = o.From
	m := runner.NewManifest(runner.ThisBuild(), first)
	m.Hashes = append(m.Hashes, s.ran()...)
	if err := m.Write(dir); err != nil {
		s.t.Errorf("-sim.out: %v", err)
		return
	}
	for _, seed := range s.ran() {
		if seed.Broken != "" || s.flags.seed > 0 {
			s.leaveSeed(filepath.Join(dir, fmt.Sprintf("seed-%d", seed.Seed)), m.Build, o, seed)
		}
	}
}

// leaveSeed runs a seed again and writes its files.
func (s *suite) leaveSeed(dir string, b runner.Build, o Options, seed runner.SeedHash) {
	s.t.Helper()
	p := o.plan()
	p.Seed = seed.Seed
	r, err := runner.WriteArtifacts(dir, b, cell.Run, p)
	switch {
	case err != nil:
		s.t.Errorf("-sim.out: %v", err)
		return
	case r.Hash != seed.Hash:
		s.t.Errorf("seed %d gave hash %s, then %s: one seed must be one history; simtest.Verify names the event", seed.Seed, seed.Hash, r.Hash)
	}
	s.t.Logf("seed %d: files in %s", seed.Seed, dir)
}

// twice returns a runner that runs each seed twice, and breaks D1 if the histories differ.
func twice(run runner.Runner) runner.Runner {
	return func(o plan.Options) cell.Result {
		v := runner.Verify(run, o)
		r := cell.Result{Seed: o.Seed, Hash: v.First, Counted: true}
		switch {
		case v.Internal != "":
			r.Internal, r.Stack, r.Breach = true, v.Stack, &cell.Breach{Text: v.Internal}
		case !v.Same():
			var b strings.Builder
			fmt.Fprintf(&b, "two runs of one seed gave hash %s and %s", v.First, v.Second)
			if p := v.Parted; p != nil {
				fmt.Fprintf(&b, "; their traces differ from line %d on:\n- %s\n+ %s", p.Line, p.First, p.Second)
			}
			r.Counted, r.Breach = false, &cell.Breach{ID: "D1", Text: b.String()}
		}
		return r
	}
}
