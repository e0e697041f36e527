package simtest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/runner"
	"github.com/chubbycell/chubby/sim/scenario"
)

// endings is a checker that notes how the calls named "turn" end.
type endings struct{ seen *atomic.Value }

func (endings) End() error { return nil }
func (k endings) On(_ time.Duration, e event.Event) error {
	if c, ok := e.(event.CallEnded); ok {
		k.seen.Store(c)
	}
	return nil
}

// The error of a turn is the outcome of a call named "turn". The turn's context ends by the program's clock. The faults
// and properties of Options.With take part.
func TestAProgramIsTheWorkload(t *testing.T) {
	var seen atomic.Value
	var bounded, turns atomic.Int64
	own := errors.New("own")
	Program{
		Turn: func(ctx context.Context, p scenario.Program) error {
			turns.Add(1)
			at, ok := ctx.Deadline()
			if left := at.Sub(p.Now()); ok && (left == TurnPatience || p.Healed() && left == healedPatience) {
				bounded.Add(1)
			}
			_ = p.Sleep(ctx, time.Second/4)
			return own
		},
		Options: Options{Seeds: 1, Clients: 2, Replicas: 1, Duration: time.Second, Faults: []string{}, With: &scenario.Extension{
			Properties: []scenario.Property{{ID: "X1", New: func() scenario.Checker { return endings{&seen} }}},
		}},
	}.Run(t)
	require.Positive(t, turns.Load())
	require.Equal(t, turns.Load(), bounded.Load())
	last, ok := seen.Load().(event.CallEnded)
	require.True(t, ok, "the checker heard of a call")
	require.Equal(t, "turn", last.Call)
	require.ErrorIs(t, last.Err, own)
}

func TestAProgramThatCannotRunIsRefused(t *testing.T) {
	turn := func(context.Context, scenario.Program) error { return nil }
	for want, x := range map[string]Program{
		"the Program has no Turn":  {},
		"has Turn and Roles: each": {Turn: turn, Roles: []Role{{Name: "a", Turn: turn}}},
		`role "a" has no Turn`:     {Roles: []Role{{Name: "a"}}},
		`role "": a name has`:      {Roles: []Role{{Turn: turn}}},
		`role "a": there are two`:  {Roles: []Role{{Name: "a", Turn: turn}, {Name: "a", Turn: turn}}},
		`role "a" with Clients -1`: {Roles: []Role{{Name: "a", Clients: -1, Turn: turn}}},
		`Programs 5: at least 0`:   {Roles: []Role{{Name: "a", Programs: 5, Turn: turn}}},
		"as many client machines as they say, 3: leave Options.Clients 0": {Roles: []Role{{Name: "a", Clients: 3, Turn: turn}}, Options: Options{Clients: 3}},
		"is the workload of its seeds; Options with others are for Run":   {Turn: turn, Options: Options{Workload: "locks"}},
		"these options cannot run: ":                                      {Turn: turn, Options: Options{Replicas: 9}},
	} {
		require.Contains(t, listen(t, func(l *listener) { x.Run(l) }).fatal, want)
		require.Contains(t, listen(t, func(l *listener) { x.Expect(l, "X1") }).fatal, want)
		require.Contains(t, listen(t, func(l *listener) { x.Verify(l) }).fatal, want)
	}
}

// Judge may name what the program itself reports: other reports end no seed, and are counted. A name that nothing reports
// fails the test if others are reported, unless it is declared in With. The names of the simulator that no run judges stay
// refused.
func TestAProgramIsJudgedByWhatItReports(t *testing.T) {
	x := Program{
		Turn: func(ctx context.Context, p scenario.Program) error {
			p.World().Break("J2", "first")
			p.World().Break("J1", "then")
			return p.Sleep(ctx, time.Second/4)
		},
		Options: Options{Seeds: 1, Clients: 1, Duration: 2 * time.Second, Faults: []string{}, Kept: t.TempDir()},
	}
	fails := func() string { return strings.Join(listen(t, func(l *listener) { x.Run(l) }).errors, "\n") }
	require.Contains(t, fails(), "J2 broke: first")
	x.Judge, x.Kept = "J1", t.TempDir()
	require.Contains(t, fails(), "J1 broke: then")
	x.Judge, x.Kept = "J3", t.TempDir()
	require.Equal(t, "Judge names \"J3\", which nothing reported and no property is called, while J2 broke in 1 of 1 seeds, first in seed 1: first\n"+
		"correct Judge; or, if the name is right, declare it as a property: in Properties of the Scenario of a World, in With of a Program", fails())
	x.With = &scenario.Extension{Properties: []scenario.Property{{ID: "J3", Help: "declared", New: func() scenario.Checker { return silent{} }}}}
	l := listen(t, func(l *listener) { x.Run(l) })
	require.Empty(t, l.errors)
	require.Contains(t, l.logs[0], "; broke and not judged, since only J3 is: J2 in 1 of 1 seeds, J1 in 1 of 1 seeds; hash")
	x.Judge = "D1"
	require.Contains(t, listen(t, func(l *listener) { x.Run(l) }).fatal, "judge D1: no run checks that")
}

// The shrunk case of a Program is a test: Replay of the Program fails while the case breaks, and passes once the program is
// mended. It judges what the Program judges.
func TestACaseOfAProgramIsATest(t *testing.T) {
	t.Chdir(t.TempDir())
	turning := func(judge string, wrong bool) Program {
		return Program{
			Turn: func(ctx context.Context, p scenario.Program) error {
				p.World().Break("J2", "not judged")
				if p.Note("turns"); wrong {
					p.World().Break("J1", "it turned")
				}
				return p.Sleep(ctx, time.Second/4)
			},
			Options: Options{Seeds: 1, Replicas: 1, Clients: 1, Duration: 2 * time.Second, Faults: []string{}, Judge: judge},
		}
	}
	bad := turning("J1", true)
	l := listen(t, func(l *listener) {
		runWith(l, bad.options(l), flags{out: "out", shrink: time.Minute}, cell.Run)
	})
	require.Len(t, l.errors, 1)
	file := filepath.Join("out", t.Name(), "seed-1", runner.CaseFile)
	require.Contains(t, l.errors[0], "\nshrunk case, for Program.Replay: "+file)

	story, err := os.ReadFile(filepath.Join(filepath.Dir(file), runner.StoryFile))
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(l.errors[0], strings.TrimSuffix(string(story), "\n")), "the story is what the test prints")
	require.Contains(t, string(story), "note: turns\n")
	require.Contains(t, string(story), "\nto reproduce: go test ")

	told := listen(t, func(l *listener) { bad.Replay(l, file) })
	require.Empty(t, told.fatal)
	require.Len(t, told.errors, 1)
	require.Contains(t, told.errors[0], file+": J1 broke: it turned\n")
	turning("J1", false).Replay(t, file)
	told = listen(t, func(l *listener) { turning("", true).Replay(l, file) })
	require.Contains(t, told.fatal, `this program has no property "J1"`)
	told = listen(t, func(l *listener) { Program{}.Replay(l, file) })
	require.Contains(t, told.fatal, "the Program has no Turn")

	l = listen(t, func(l *listener) { runWith(l, bad.options(l), flags{shrink: time.Minute}, cell.Run) })
	require.Contains(t, l.errors[0], "-sim.out=DIR also writes the shrunk case for Program.Replay, traces")
}

// What a program counts is printed, without the counters of faults and of the network, and can be demanded by name.
func TestTheCountersOfAProgram(t *testing.T) {
	l := listen(t, func(l *listener) {
		totals := Program{
			Turn: func(ctx context.Context, p scenario.Program) error {
				p.World().Count("turned")
				return p.Sleep(ctx, time.Second/4)
			},
			Options: Options{Seeds: 2, Clients: 1, Duration: 3 * time.Second, Faults: []string{"client-pause", "client-cut"}},
		}.Run(l)
		require.Equal(t, uint64(2), totals.Counter("turned").Seeds)
		require.Greater(t, totals.Counter("turned").Sum, uint64(10))
		require.Zero(t, totals.Counter("never").Sum)
		require.NotZero(t, totals.Counter("net.sent").Sum)
	})
	require.Regexp(t, `fail-overs, turned \d+; hash of all seeds`, l.logs[len(l.logs)-1])
}
