package simtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/faults"
)

// deaf is a process that ignores its inputs.
type deaf struct{}

func (deaf) Start(*sim.Env)                      {}
func (deaf) Receive(time.Time, sim.Addr, []byte) {}
func (deaf) Wake(time.Time)                      {}

// mortal is a world whose machine loses power. From some seed on, the machine's second life breaks P1.
func mortal(from uint64) World {
	rate := faults.Rate{Every: 100 * time.Millisecond, For: 10 * time.Millisecond}
	return World{Seeds: 4, Scenario: func(seed uint64) sim.Scenario {
		return sim.Scenario{
			Faults: []sim.Fault{faults.Pause(rate, faults.Any), faults.Crash(rate, faults.Any), faults.ClockStep(rate, faults.Any, time.Second)},
			Safety: time.Second,
			Setup: func(w *sim.World) {
				w.Add(sim.MachineConfig{Addr: 1, Process: func() sim.Process {
					if m := w.Machine(1); seed >= from && m != nil && m.Lives() > 1 {
						w.Break("P1", "it lives again")
					}
					return deaf{}
				}}).Start()
			},
		}
	}}
}

// The report of the shortest failure, here that of seed 4, names the faults that it needs. The next run begins with its
// seed.
func TestAFailureOfAWorldIsMadeSmallerAndKept(t *testing.T) {
	t.Chdir(t.TempDir())
	l := listen(t, func(l *listener) { mortal(3).runWith(l, flags{out: "out", shrink: time.Minute}) })
	require.Len(t, l.errors, 2, "seeds 3 and 4")
	first := l.errors[1]
	require.Regexp(t, `seed 4: P1 broke: it lives again\nfaults needed, of 3 kinds and \d+ strikes: crash at 0\.\d+ s; it then breaks at 0\.`, first)
	require.Contains(t, first, "-run '^TestAFailureOfAWorldIsMadeSmallerAndKept$' -sim.seed=4\n")
	require.Regexp(t, `event \d+\nWhat led to it:\n  0\.\d+ s \(n1: .*\)  n1 loses power\n  0\.\d+ s \(n1: .*\)  n1 restarts\nto reproduce`, first)
	require.Contains(t, first, "with only these faults: trace "+filepath.Join("out", t.Name(), "seed-4", "shrunk-trace.txt")+", page "+filepath.Join("out", t.Name(), "seed-4", "shrunk-page.html"))
	for _, file := range []string{"seed-3/page.html", "seed-4/page.html", "seed-4/shrunk-page.html"} {
		html, err := os.ReadFile(filepath.Join("out", t.Name(), file))
		require.NoError(t, err)
		require.Contains(t, string(html), "What led to it:")
		require.Contains(t, string(html), "it lives again")
	}
	for _, file := range []string{"seed-3/trace.txt", "seed-4/trace.txt", "seed-4/shrunk-trace.txt"} {
		trace, err := os.ReadFile(filepath.Join("out", t.Name(), file))
		require.NoError(t, err)
		require.Contains(t, string(trace), "P1 broken")
		require.Regexp(t, `^# seed \d of `+t.Name()+`\n#   event +true time +machine +its local time +kind +text\n +0 `, string(trace))
		require.Regexp(t, ` n1 +[\d.]+ fault +n1 loses power\n`, string(trace))
	}
	for _, seed := range []int{3, 4} { // as the trace, of each failing seed
		story, err := os.ReadFile(filepath.Join("out", t.Name(), fmt.Sprintf("seed-%d", seed), "story.txt"))
		require.NoError(t, err)
		require.Regexp(t, fmt.Sprintf(`(?s)^seed %d: P1 broke: it lives again\n.*What led to it:\n.*\nto reproduce: go test .* -sim.seed=%d.*\n$`, seed, seed), string(story))
		require.Equal(t, seed == 4, strings.Contains(string(story), "faults needed"), "the one that was shrunk")
	}
	kept := filepath.Join("testdata", "sim", t.Name(), "seed-4")
	require.Contains(t, first, "the next run starts with it: "+kept)
	text, err := os.ReadFile(kept)
	require.NoError(t, err)
	require.Equal(t, "P1 broke: it lives again\n", string(text))

	x := mortal(3)
	x.Seeds = 1 // seed 1 is clean
	l = listen(t, func(l *listener) { x.runWith(l, flags{}) })
	require.Len(t, l.errors, 2)
	require.Contains(t, l.errors[0], "a kept seed fails again: "+filepath.Join(filepath.Dir(kept), "seed-3")+"\nseed 3: P1 broke: it lives again")
	require.Contains(t, l.errors[1], "a kept seed fails again: "+kept+"\nseed 4: P1 broke: it lives again")
	require.Regexp(t, "^1 seeds, of which 1 counted", l.logs[0], "the others run, too")
	l = listen(t, func(l *listener) { mortal(9).runWith(l, flags{}) })
	require.Empty(t, l.errors, "it was mended")
	require.Contains(t, l.logs[1], "4 seeds")

	require.FileExists(t, filepath.Join("testdata", "sim", t.Name(), "seed-3"), "others are kept, too")
	l = listen(t, func(l *listener) { mortal(3).runWith(l, flags{seed: 8}) })
	require.Len(t, l.errors, 1)
	require.FileExists(t, filepath.Join("testdata", "sim", t.Name(), "seed-8"), "also one that is asked for")
	l = listen(t, func(l *listener) { mortal(9).runWith(l, flags{seed: 1, out: "clean"}) })
	require.Empty(t, l.errors)
	require.FileExists(t, filepath.Join("clean", t.Name(), "seed-1", "trace.txt"))
}

// Of many strikes of one fault, only those that the break needs are left. A fault that records no strikes is listed by
// name.
func TestAFailureOfAWorldIsMadeSmallerStrikeByStrike(t *testing.T) {
	t.Chdir(t.TempDir())
	x := mortal(1)
	scenario := x.Scenario
	x.Seeds, x.Scenario = 1, func(seed uint64) sim.Scenario {
		s, lives := scenario(seed), 0
		s.Faults = append(s.Faults, faults.Kill(faults.Rate{Every: 20 * time.Millisecond, For: time.Millisecond}, faults.Any), storm{})
		s.Setup = func(w *sim.World) {
			w.Add(sim.MachineConfig{Addr: 1, Process: func() sim.Process {
				if lives++; lives == 3 && w.Net().Link(1, 2).Config().Loss > 0 {
					w.Break("P1", "the first process starts for the third time")
				}
				return deaf{}
			}}).Start()
			w.Add(sim.MachineConfig{Addr: 2, Process: func() sim.Process { return deaf{} }}).Start()
		}
		return s
	}
	l := listen(t, func(l *listener) { x.runWith(l, flags{shrink: time.Minute}) })
	require.Regexp(t, `faults needed, of 5 kinds and 5 strikes: (crash|kill) at 0\.\d+, 0\.\d+ s, storm; it then breaks at`, l.errors[0])
	l = listen(t, func(l *listener) { x.runWith(l, flags{}) })
	require.NotContains(t, l.errors[0], "faults needed", "-sim.shrink=0")
}

// storm is a fault that acts during the whole run.
type storm struct{}

func (storm) Name() string { return "storm" }
func (storm) Run(s *sim.Stage) {
	s.World().Net().Link(1, 2).Set(sim.LinkConfig{Loss: 1})
	s.Sleep(time.Hour)
}

// paced is a fault that strikes every 10 ms, and calls does in each strike.
type paced struct {
	name string
	does func(s *sim.Stage)
}

func (p paced) Name() string { return p.name }
func (p paced) Run(s *sim.Stage) {
	for s.Next(func() time.Duration { return 10 * time.Millisecond }) {
		p.does(s)
	}
}

// A fault that is left out may have delayed the strikes of another. The strikes to choose from are then those of the run
// without it.
func TestStrikesThatAnotherFaultDelayedAreLeftOutOneByOne(t *testing.T) {
	t.Chdir(t.TempDir())
	x := World{Seeds: 1, Scenario: func(uint64) sim.Scenario {
		delays, strikes := 0, 0
		return sim.Scenario{
			Safety: time.Second,
			Setup: func(w *sim.World) {
				w.Add(sim.MachineConfig{Process: func() sim.Process { return deaf{} }}).Start()
			},
			Faults: []sim.Fault{
				paced{"delay", func(s *sim.Stage) { delays++ }},
				paced{"blow", func(s *sim.Stage) {
					s.Sleep(time.Duration(delays) * 3 * time.Millisecond)
					if strikes++; delays > 0 && strikes > 2 || delays == 0 && s.World().Now() == 30*time.Millisecond {
						s.World().Break("P1", "a blow too many")
					}
				}},
			},
		}
	}}
	l := listen(t, func(l *listener) { x.runWith(l, flags{shrink: time.Minute}) })
	require.Contains(t, l.errors[0], "strikes: blow at 0.030 s; it then breaks at 0.030 s")
}

// A search that had no time says so, and how to give it more.
func TestASearchWithoutTimeSaysSo(t *testing.T) {
	t.Chdir(t.TempDir())
	l := listen(t, func(l *listener) { mortal(1).runWith(l, flags{shrink: time.Nanosecond}) })
	require.Contains(t, strings.Join(l.errors, "\n"), "; time ran out, -sim.shrink=4s may shrink it further\nWhat led to it:\n")
}

// -sim.trace prints the lines of trace.txt.
func TestTheTraceOfAWorldIsTheOneOfItsFile(t *testing.T) {
	t.Chdir(t.TempDir())
	var b bytes.Buffer
	listen(t, func(l *listener) {
		x := mortal(3)
		x.runWith(l, flags{seed: 3, out: "out", shrink: time.Minute})
		x.start(l, flags{}, x.seed).print(3, printed{w: &b})
	})
	trace, err := os.ReadFile(filepath.Join("out", t.Name(), "seed-3", "trace.txt"))
	require.NoError(t, err)
	require.Equal(t, string(trace), b.String())
}

// The flags that show one seed show also one that is expected to fail.
func TestAnExpectedFailureHasATraceToo(t *testing.T) {
	t.Chdir(t.TempDir())
	l := listen(t, func(l *listener) { mortal(3).expectWith(l, flags{seed: 3, out: "out"}, "P1") })
	dir := filepath.Join("out", t.Name(), "seed-3")
	require.Contains(t, l.logs, "seed 3: trace in "+filepath.Join(dir, "trace.txt")+", page in "+filepath.Join(dir, "page.html"))
	trace, err := os.ReadFile(filepath.Join("out", t.Name(), "seed-3", "trace.txt"))
	require.NoError(t, err)
	require.Contains(t, string(trace), "P1 broken")
	l = listen(t, func(l *listener) { mortal(3).expectWith(l, flags{trace: true}, "P1") })
	require.Equal(t, "-sim.trace prints one seed: give -sim.seed, too", l.fatal)
	l = listen(t, func(l *listener) { expectWith(l, Options{}, flags{trace: true}, fake, "S1") })
	require.Equal(t, "-sim.trace prints one seed: give -sim.seed, too", l.fatal)
}

// Judge lets a seed go on when another property breaks. End judges a run also if a program has not ended and L1 is not
// judged; otherwise a program that hangs would make every seed pass.
func TestAWorldJudgesOneProperty(t *testing.T) {
	t.Chdir(t.TempDir())
	x := mortal(1)
	scenario := x.Scenario
	var heard []string
	lasts := time.Duration(0)
	x.Jobs, x.Scenario = 1, func(seed uint64) sim.Scenario {
		s := scenario(seed)
		s.Liveness = time.Second
		s.Properties = []sim.Property{ender{&heard, errors.New("it went wrong")}}
		s.Workloads = []sim.Workload{one(func(rt *sim.Runtime) { _ = rt.Sleep(context.Background(), lasts) })}
		return s
	}
	l := listen(t, func(l *listener) { x.Expect(l, "E1") })
	require.Contains(t, l.fatal, "expected E1 to break, but this came first:\nseed 1: P1 broke: it lives again\nJudge: \"E1\" makes other properties end no seed\nto reproduce")
	x.Judge = "E1"
	l = listen(t, func(l *listener) { x.Expect(l, "E1") })
	require.Contains(t, l.logs[0], "seed 1: E1 broke, as expected: it went wrong")
	lasts = time.Hour
	heard = nil
	l = listen(t, func(l *listener) { x.Expect(l, "E1") })
	require.Contains(t, l.logs[0], "seed 1: E1 broke, as expected: it went wrong")
	require.Equal(t, []string{"check 2s", "end 2s"}, heard[len(heard)-2:], "a second after healing")
	x.Judge = "L1"
	l = listen(t, func(l *listener) { x.Expect(l, "L1") })
	require.Contains(t, l.logs[0], "seed 1: L1 broke, as expected: 1 client programs have not ended")
}

// Judge with a name that neither a property nor a break has would make every seed pass. The test fails if another property
// of its own breaks. A break of a property of the simulator may be the reason for Judge.
func TestAJudgeThatNamesNothingIsReported(t *testing.T) {
	t.Chdir(t.TempDir())
	breaks := func(id, judge string, properties ...sim.Property) World {
		x := mortal(9)
		scenario := x.Scenario
		x.Judge, x.Scenario = judge, func(seed uint64) sim.Scenario {
			s := scenario(seed)
			setup := s.Setup
			s.Properties, s.Setup = properties, func(w *sim.World) {
				if setup(w); seed > 2 {
					w.Break(id, "in seed %d", seed)
				}
			}
			return s
		}
		return x
	}
	l := listen(t, func(l *listener) { breaks("P2", "TYPO").runWith(l, flags{}) })
	require.Len(t, l.errors, 1)
	require.Contains(t, l.errors[0], "Judge names \"TYPO\", which nothing reported and no property is called, while P2 broke in 2 of 4 seeds, first in seed 3: in seed 3\n")
	for judge, x := range map[string]World{"E1": breaks("P2", "E1", ender{new([]string), nil}), "S1": breaks("P2", "S1"), "P2": breaks("S1", "P2")} {
		l = listen(t, func(l *listener) { x.runWith(l, flags{}) })
		require.Empty(t, l.errors, judge)
		require.Contains(t, l.logs[0], "; broke and not judged, since only "+judge+" is: ")
	}
	l = listen(t, func(l *listener) { breaks("P2", "TYPO").expectWith(l, flags{}, "TYPO") })
	require.Equal(t, "no seed broke TYPO: 4 seeds ran, from 1 on; broke and not judged, since only TYPO is: P2 in 2 of 4 seeds", l.fatal)
}

// Two runs of a seed differ if they share state. A World without a Scenario is refused.
func TestWorldsThatCannotBeTested(t *testing.T) {
	t.Chdir(t.TempDir())
	runs := 0
	shared := World{Seeds: 1, Jobs: 1, Scenario: func(uint64) sim.Scenario {
		runs++
		s := mortal(9).Scenario(1)
		s.Safety += time.Duration(runs) * time.Second
		return s
	}}
	l := listen(t, func(l *listener) { shared.Verify(l) })
	require.Len(t, l.errors, 1)
	require.Contains(t, l.errors[0], "D1 broke: two runs of one seed gave hash")
	l = listen(t, func(l *listener) { World{}.Run(l) })
	require.Contains(t, l.fatal, "the World has no Scenario")
	l = listen(t, func(l *listener) { mortal(1).Expect(l, "P2") })
	require.Contains(t, l.fatal, "expected P2 to break, but this came first:\nseed 1: P1 broke")
	panics := World{Seeds: 1, Scenario: func(uint64) sim.Scenario { panic("a bug of the test") }}
	l = listen(t, func(l *listener) { panics.runWith(l, flags{}) })
	require.Contains(t, l.errors[0], "a bug of the test")
	require.NoDirExists(t, "testdata", "what has no verdict is not kept")
}

// A description of messages that says less than they do hides no difference from Verify.
func TestVerifyComparesMessagesAndNotTheirDescriptions(t *testing.T) {
	var runs atomic.Int64
	x := World{Seeds: 1, Scenario: func(uint64) sim.Scenario {
		run := runs.Add(1)
		return sim.Scenario{Safety: time.Second, Setup: func(w *sim.World) {
			w.Add(sim.MachineConfig{Process: sim.Program(func(rt *sim.Runtime) { rt.Env().Send(1, fmt.Appendf(nil, "run %d", run)) })}).Start()
		}}
	}}
	x.Config.Trace.Describe = func(sim.Addr, sim.Addr, []byte) string { return "a message" }
	l := listen(t, func(l *listener) { x.Verify(l) })
	require.Len(t, l.errors, 1)
	require.Contains(t, l.errors[0], "their traces differ from line")
}

// flaky is a world that breaks P1 in the runs for which fails returns true. Runs are counted from 1.
func flaky(fails func(run int) bool) World {
	runs := 0
	x := mortal(99)
	scenario := x.Scenario
	x.Seeds, x.Jobs = 1, 1
	x.Scenario = func(seed uint64) sim.Scenario {
		s := scenario(seed)
		setup := s.Setup
		s.Setup = func(w *sim.World) {
			setup(w)
			if runs++; fails(runs) {
				w.Break("P1", "run %d", runs)
			}
		}
		return s
	}
	return x
}

// A failure that its seed does not reproduce is reported as such, and not shrunk.
func TestAFailureThatIsNoHistoryOfItsSeedIsToldAsThat(t *testing.T) {
	t.Chdir(t.TempDir())
	l := listen(t, func(l *listener) {
		flaky(func(run int) bool { return run == 1 }).runWith(l, flags{shrink: time.Minute})
	})
	require.Len(t, l.errors, 1)
	require.Regexp(t, `^seed 1: P1 broke: run 1\nnot deterministic: two runs of the seed differ, .*; Verify shows where\n  the first:  hash \w+: P1 broke: run 1\n  the second: hash \w+: clean\nto reproduce: `, l.errors[0])
	require.NotContains(t, l.errors[0], "faults needed")
	require.NoDirExists(t, "testdata", "its number brings nothing back")
}

// A kept seed that now passes is logged, so that the user knows that it was run.
func TestAKeptSeedThatPassesIsNamed(t *testing.T) {
	t.Chdir(t.TempDir())
	listen(t, func(l *listener) { mortal(3).runWith(l, flags{shrink: time.Minute}) })
	l := listen(t, func(l *listener) { mortal(9).runWith(l, flags{}) })
	require.Empty(t, l.errors)
	require.Equal(t, filepath.Join("testdata", "sim", t.Name())+": failed before, now clean: seed 3, 4", l.logs[0])
}

// The totals of a World count events, not calls. A World in which nothing happens fails the test.
func TestAWorldThatDoesNothingIsRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	empty := World{Scenario: func(uint64) sim.Scenario { return sim.Scenario{Safety: time.Second} }}
	l := listen(t, func(l *listener) { empty.runWith(l, flags{}) })
	require.Contains(t, l.fatal, "the Scenario of seed 1 has neither Setup nor Workloads")
	idle := World{Scenario: func(uint64) sim.Scenario { return sim.Scenario{Setup: func(*sim.World) {}} }}
	l = listen(t, func(l *listener) { idle.runWith(l, flags{}) })
	require.Equal(t, []string{"nothing happened in 20 seeds: the Scenario has no Safety, or Setup starts no machine"}, l.errors)

	x := mortal(9)
	scenario := x.Scenario
	x.Scenario = func(seed uint64) sim.Scenario {
		s := scenario(seed)
		setup := s.Setup
		s.Setup = func(w *sim.World) { setup(w); w.Count("set up") }
		return s
	}
	l = listen(t, func(l *listener) { x.runWith(l, flags{}) })
	require.Empty(t, l.errors)
	require.Regexp(t, `^4 seeds, of which 4 counted; \d+ events in 4s of simulated time, faults.clock-step \d+, faults.crash \d+, faults.pause \d+, set up 4; hash`, l.logs[0])

	ends := mortal(9)
	ends.Scenario = func(uint64) sim.Scenario {
		return sim.Scenario{Setup: func(*sim.World) { runtime.Goexit() }}
	}
	l = listen(t, func(l *listener) { ends.runWith(l, flags{}) })
	require.Len(t, l.errors, 1)
	require.Contains(t, l.errors[0], "no seed ran to its end: simulated code ended its goroutine, as t.FailNow")
}

// ender is a property that notes its calls.
type ender struct {
	heard *[]string
	wrong error
}

func (ender) ID() string { return "E1" }
func (e ender) Check(w *sim.World) error {
	*e.heard = append(*e.heard, fmt.Sprint("check ", w.Now()))
	return nil
}

func (e ender) End(w *sim.World) error {
	*e.heard = append(*e.heard, fmt.Sprint("end ", w.Now()))
	return e.wrong
}

// End of a property is called once, after its last Check. It is not called if a program has not ended, or another
// property broke.
func TestAPropertyIsToldThatTheRunIsOver(t *testing.T) {
	run := func(wrong error, program func(rt *sim.Runtime)) ([]string, *sim.Failure) {
		var heard []string
		s := mortal(99).Scenario(1)
		s.Faults, s.Every, s.Liveness = nil, 400*time.Millisecond, time.Second
		s.Workloads = []sim.Workload{one(program)}
		s.Properties = []sim.Property{ender{&heard, wrong}, ender{&heard, nil}}
		f := s.Run(sim.Config{Seed: 1}).Failure
		return heard, f
	}
	heard, f := run(nil, func(rt *sim.Runtime) {})
	require.Nil(t, f)
	require.Equal(t, []string{"check 1s", "check 1s", "check 1s", "check 1s", "end 1s", "end 1s"}, heard[len(heard)-6:], "each of the two, behind two phases")
	require.Len(t, heard, 4+6, "and twice before")
	heard, f = run(errors.New("it went wrong"), func(rt *sim.Runtime) {})
	require.Equal(t, "E1", f.ID)
	require.Equal(t, "it went wrong", f.Text)
	require.Equal(t, "end 1s", heard[len(heard)-1])
	require.NotEqual(t, "end 1s", heard[len(heard)-2], "the second is not asked")
	heard, f = run(nil, func(rt *sim.Runtime) { _ = rt.Sleep(context.Background(), time.Hour) })
	require.Equal(t, "L1", f.ID)
	require.NotContains(t, strings.Join(heard, ", "), "end")
}

// one is a workload of one program.
type one func(rt *sim.Runtime)

func (one) Name() string                        { return "one" }
func (one) Clients() int                        { return 1 }
func (o one) Program(int) func(rt *sim.Runtime) { return o }
