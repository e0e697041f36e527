package simtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/runner"
	"github.com/chubbycell/chubby/sim/scenario"
)

// listener is a testing.TB that keeps the errors and logs of the tested code.
type listener struct {
	testing.TB
	errors, logs []string
	fatal        string
	skipped      string
}

func (l *listener) Errorf(format string, args ...any) {
	l.errors = append(l.errors, fmt.Sprintf(format, args...))
}

func (l *listener) Logf(format string, args ...any) {
	l.logs = append(l.logs, fmt.Sprintf(format, args...))
}

// stop is the panic by which Fatalf ends the function that listen calls, as FailNow ends a test.
type stop struct{}

func (l *listener) Fatalf(format string, args ...any) {
	l.fatal = fmt.Sprintf(format, args...)
	panic(stop{})
}

func (l *listener) Skipf(format string, args ...any) {
	l.skipped = fmt.Sprintf(format, args...)
	panic(stop{})
}

func listen(t *testing.T, f func(l *listener)) (l *listener) {
	l = &listener{TB: t}
	defer func() {
		if p := recover(); p != nil && p != (stop{}) {
			panic(p)
		}
	}()
	f(l)
	return l
}

// fake is a simulator in which seed 5 breaks S1 and odd seeds count.
func fake(o plan.Options) cell.Result {
	r := cell.Result{Seed: o.Seed, Hash: fmt.Sprintf("%016x", o.Seed), Counted: o.Seed%2 == 1}
	if o.Seed == 5 {
		r.Counted, r.Breach = false, &cell.Breach{ID: "S1", Text: "two values"}
	}
	return r
}

func TestAFailingSeedIsToldWithTheLineThatRunsItAgain(t *testing.T) {
	t.Run("of a/b", func(t *testing.T) {
		l := listen(t, func(l *listener) { start(l, Options{}, flags{}, fake).seeds() })
		require.Len(t, l.errors, 1)
		told, _, _ := strings.Cut(l.errors[0], "  # commit ") // a source tree without git has none
		require.Equal(t, "seed 5: S1 broke: two values\nto reproduce: go test github.com/chubbycell/chubby/sim/simtest "+
			"-run '^TestAFailingSeedIsToldWithTheLineThatRunsItAgain$/^of_a$/^b$' -sim.seed=5", told)
		require.Equal(t, told+commentOf(runner.ThisBuild()), l.errors[0])
		require.Contains(t, l.logs[0], "20 seeds, of which 9 counted")
	})
}

// commentOf returns what follows the command in the line that runs a seed again.
func commentOf(b runner.Build) string {
	if b.Commit == runner.UnknownCommit {
		return ""
	}
	return "  # commit " + b.Short()
}

// The line that runs a seed again names the commit that the test was built from, if that is known: a seed is one history
// of one commit.
func TestTheLineThatRunsASeedAgainNamesTheCommit(t *testing.T) {
	line := "to reproduce: " + again("TestX", 5)
	require.Equal(t, line+"  # commit 0123456789ab", reproduce("TestX", 5, runner.Build{Commit: "0123456789abcdef"}))
	require.Equal(t, line+"  # commit 0123456789ab, modified", reproduce("TestX", 5, runner.Build{Commit: "0123456789abcdef", Modified: true}))
	require.Equal(t, line, reproduce("TestX", 5, runner.Build{Commit: runner.UnknownCommit, Modified: true}))
}

func TestSeedsThatFlagsAskFor(t *testing.T) {
	for name, c := range map[string]struct {
		o    Options
		f    flags
		want []uint64
	}{
		"the test":                 {Options{Seeds: 2, From: 6}, flags{}, []uint64{6, 7}},
		"one seed":                 {Options{Seeds: 2, From: 6, MinCounted: 2}, flags{seed: 12, seeds: 9}, []uint64{12}},
		"more":                     {Options{Seeds: 2, From: 6}, flags{seeds: 4}, []uint64{6, 7, 8, 9}},
		"as many as have time":     {Options{Seeds: 2, From: 6}, flags{limit: time.Nanosecond}, nil},
		"so many, if there's time": {Options{From: 6}, flags{limit: time.Minute, seeds: 1}, []uint64{6}},
	} {
		s := start(&listener{TB: t}, c.o, c.f, fake)
		s.seeds()
		var ran []uint64
		for _, h := range s.all {
			ran = append(ran, h.Seed)
		}
		require.Equal(t, c.want, ran, name)
	}
}

func TestATestWhoseSeedsDoNotCountFails(t *testing.T) {
	idle := func(o plan.Options) cell.Result { return cell.Result{Seed: o.Seed} }
	l := listen(t, func(l *listener) { start(l, Options{Seeds: 3}, flags{}, idle).seeds() })
	require.Len(t, l.errors, 1)
	require.Contains(t, l.errors[0], "0 of 3 seeds counted, 1 must")
	l = listen(t, func(l *listener) { start(l, Options{Seeds: 3, Duration: 5 * time.Second}, flags{}, idle).seeds() })
	require.Empty(t, l.errors, "none can count")
	undecided := func(o plan.Options) cell.Result { return cell.Result{Seed: o.Seed, Undecided: true, Counted: true} }
	l = listen(t, func(l *listener) { start(l, Options{Seeds: 1}, flags{}, undecided).seeds() })
	require.Contains(t, l.errors[0], "seed 1: undecided\n")
}

func TestWhatExpectDemands(t *testing.T) {
	l := listen(t, func(l *listener) {
		require.Equal(t, Found{Seed: 5, Text: "two values"}, start(l, Options{}, flags{}, fake).expect("S1"))
	})
	require.Empty(t, l.errors)
	require.Empty(t, l.fatal)
	l = listen(t, func(l *listener) { start(l, Options{Seeds: 4}, flags{}, fake).expect("S1") })
	require.Equal(t, "no seed broke S1: 4 seeds ran, from 1 on", l.fatal)
	l = listen(t, func(l *listener) { start(l, Options{}, flags{}, fake).expect("X1") })
	require.Contains(t, l.fatal, "expected X1 to break, but this came first:\nseed 5: S1 broke: two values")
	panics := func(plan.Options) cell.Result { panic("a checker's bug") }
	l = listen(t, func(l *listener) { start(l, Options{}, flags{}, panics).expect("S1") })
	require.Contains(t, l.fatal, "a checker's bug")
	require.Contains(t, l.fatal, "goroutine ", "with its stack")
}

func TestOptionsThatCannotRun(t *testing.T) {
	for want, o := range map[string]Options{
		`unknown fault "gremlins"`: {Faults: []string{"gremlins"}},
		`property "S1": the name`:  {With: &scenario.Extension{Properties: []scenario.Property{{ID: "S1"}}}},
		"Jobs -1":                  {Jobs: -1},
	} {
		l := listen(t, func(l *listener) { Run(l, o) })
		require.Contains(t, l.fatal, want)
	}
}

// hurried is a listener whose time limit of go test is a minute away.
type hurried struct{ *listener }

func (hurried) Deadline() (time.Time, bool) { return time.Now().Add(time.Minute), true }

func TestATimeThatGoTestDoesNotGiveIsRefused(t *testing.T) {
	l := listen(t, func(l *listener) { start(hurried{l}, Options{}, flags{limit: time.Hour}, fake).seeds() })
	require.Contains(t, l.fatal, "-sim.for 1h0m0s: go test ends this test in 1m0s; add -timeout 0")
}

// early breaks X1 as soon as a replica serves.
type early struct{}

func (early) On(_ time.Duration, e event.Event) error {
	if _, serves := e.(event.Serves); serves {
		return errors.New("it serves")
	}
	return nil
}
func (early) End() error { return nil }

func TestFilesOfAFailingSeedAreLeft(t *testing.T) {
	dir := t.TempDir()
	x := &scenario.Extension{Properties: []scenario.Property{{ID: "X1", Help: "nothing serves", New: func() scenario.Checker { return early{} }}}}
	o := Options{With: x, Seeds: 1, From: 3, Replicas: 3}
	l := listen(t, func(l *listener) { start(l, o, flags{out: dir}, cell.Run).seeds() })
	require.Len(t, l.errors, 1)
	require.Contains(t, l.errors[0], "seed 3: X1 broke: it serves")
	seed := filepath.Join(dir, t.Name(), "seed-3")
	for _, file := range []string{runner.TraceFile, runner.HistoryFile, runner.ManifestFile} {
		_, err := os.Stat(filepath.Join(seed, file))
		require.NoError(t, err)
	}
	m, replay, err := runner.ReadManifest(seed, x)
	require.NoError(t, err)
	require.Equal(t, m.Hashes[0].Hash, cell.Run(replay).Hash)
	_, err = os.Stat(filepath.Join(dir, t.Name(), runner.ManifestFile))
	require.NoError(t, err)
}

// If a test judges one property alone, a break of another property does not hide a later break of that one. A seed in
// which it does not break counts.
func TestOnePropertyIsJudgedAlone(t *testing.T) {
	x := &scenario.Extension{Properties: []scenario.Property{
		{ID: "X2", Help: "nothing serves", New: func() scenario.Checker { return early{} }},
		{ID: "X1", Help: "the run never ends", New: func() scenario.Checker { return late{} }},
	}}
	o := Options{With: x, Seeds: 1, Replicas: 3, Clients: 4, Faults: []string{}}
	l := listen(t, func(l *listener) { Expect(l, o, "X1") })
	require.Contains(t, l.fatal, "expected X1 to break, but this came first:\nseed 1: X2 broke: it serves")
	o.Judge = "X1"
	require.Equal(t, "it ended", Expect(t, o, "X1").Text)
	o.Judge = "S4"
	require.Equal(t, uint64(1), Run(t, o).Counted)

	o.Judge = "X3"
	l = listen(t, func(l *listener) { Run(l, o) })
	require.Contains(t, l.fatal, "judge X3: no run checks that; one of X2, X1, S1, S2,")
	o.Judge = "D1"
	l = listen(t, func(l *listener) { Run(l, o) })
	require.Contains(t, l.fatal, "judge D1: no run checks that", "only verify does")
}

// The report of a program that does not end after healing names the program and the line at which it waits.
func TestAProgramThatNeverEndsIsNamed(t *testing.T) {
	o := Options{With: &scenario.Extension{Workloads: []scenario.Workload{dozing{}}}, Workload: "dozing", Seeds: 1, Replicas: 3, Clients: 1, Duration: time.Second, Faults: []string{}}
	text := Expect(t, o, "L1").Text
	require.Regexp(t, `^\d+ client programs have not ended their last turn 1m0s after healing, in which \d+ calls were answered: c1 \(program 1\) waits in simtest\.dozing\.Turn \(run_test\.go:\d+\)`, text)
}

// dozing is a workload whose programs sleep far beyond the minute after healing.
type dozing struct{}

func (dozing) Name() string                                 { return "dozing" }
func (dozing) Help() string                                 { return "" }
func (dozing) Turn(ctx context.Context, p scenario.Program) { _ = p.Sleep(ctx, time.Hour) }

// late breaks X1 at the end of the run.
type late struct{}

func (late) On(time.Duration, event.Event) error { return nil }
func (late) End() error                          { return errors.New("it ended") }

// restless is a workload whose calls depend on more than its draws.
type restless struct{ turns *int }

func (restless) Name() string { return "restless" }
func (restless) Help() string { return "" }
func (r restless) Turn(ctx context.Context, p scenario.Program) {
	*r.turns++
	err := p.Client().Put(ctx, "g0/turns", fmt.Sprint(*r.turns))
	p.Done("put", true, err)
}

func TestVerifyNamesTheEventThatDiffers(t *testing.T) {
	o := Options{Seeds: 1, Replicas: 3, Clients: 1, Duration: time.Second, Faults: []string{}}
	l := listen(t, func(l *listener) { Verify(l, o) })
	require.Empty(t, l.errors)
	turns := 0
	o.With, o.Workload = &scenario.Extension{Workloads: []scenario.Workload{restless{&turns}}}, "restless"
	o.Jobs = 1
	l = listen(t, func(l *listener) { Verify(l, o) })
	require.Len(t, l.errors, 1)
	require.Contains(t, l.errors[0], "seed 1: D1 broke: two runs of one seed gave hash")
	require.True(t, strings.Contains(l.errors[0], "their traces differ from line"), l.errors[0])
}

// hanging is a workload that blocks on a real channel, once.
type hanging struct{ until chan struct{} }

func (hanging) Name() string { return "hanging" }
func (hanging) Help() string { return "" }
func (h hanging) Turn(ctx context.Context, p scenario.Program) {
	<-h.until
	_ = p.Sleep(ctx, time.Second)
}

// The report of code that hangs has its stack, the seed, and the command line that runs the seed again.
func TestCodeThatHangsIsNamed(t *testing.T) {
	until := make(chan struct{})
	var text string
	var once sync.Once
	hangs := func(o plan.Options) cell.Result {
		stuck := o.Stuck
		o.Stuck = func(s string) {
			once.Do(func() {
				defer close(until) // lets the seed end; outside this test the panic ends the process
				defer func() { text = fmt.Sprint(recover()) }()
				stuck(s)
			})
		}
		return cell.Run(o)
	}
	o := Options{With: &scenario.Extension{Workloads: []scenario.Workload{hanging{until}}}, Workload: "hanging", From: 4, Seeds: 1,
		Replicas: 3, Clients: 1, Duration: time.Second, Faults: []string{}, Watchdog: time.Second}
	start(&listener{TB: t}, o, flags{}, hangs).seeds()
	require.Contains(t, text, "sim: seed 4: nothing went on for 1s")
	require.Contains(t, text, "hanging.Turn")
	require.Contains(t, text, "to reproduce: go test github.com/chubbycell/chubby/sim/simtest -run '^TestCodeThatHangsIsNamed$' -sim.seed=4")
}
