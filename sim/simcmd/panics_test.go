package simcmd

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/runner"
)

// Without a guard, a panic on a goroutine of the simulator would end the program with a Go trace and the exit code of a
// usage error. All commands that run seeds have a guard.
func TestAPanicOfTheSimulatorNamesTheSeedAndIsExitFive(t *testing.T) {
	t.Chdir(t.TempDir())
	w := newWorld()
	w.result = outcomes["broken"]
	require.Equal(t, cli.ExitBroken, w.do("sim", "--seed", "3", "--out", "files"))
	w.result = func(_ int, seed uint64) cell.Result {
		if seed == 3 {
			panic("a checker's bug")
		}
		return clean(seed)
	}
	w.batch = func(ctx context.Context, c runner.Batch) runner.End { // the real one, on workers
		c.Runner = w.one
		return c.Run(ctx)
	}
	for _, line := range []string{
		"sim --seeds 4", "sim --seeds 4 -o json", "sim --seed 3", "sim --seed 3 --trace", "sim --seed 3 --out again",
		"sim verify --seeds 4", "sim verify --seeds 4 -o json", "sim replay files/seed-3", "sim replay files/seed-3 -o json", "sim replay files/seed-3 -o junit",
	} {
		require.Equal(t, cli.ExitInternal, w.do(strings.Fields(line)...), line)
		all := w.out.String() + w.err.String()
		require.Contains(t, all, "a checker's bug", line)
		require.Regexp(t, `seed"?:? 3`, all, line)
		require.Contains(t, all, "goroutine ", "%s: the stack", line)
	}
}

func TestAReportTellsPanicsOfTheSimulatorFromCrashes(t *testing.T) {
	w := newWorld()
	w.result = func(_ int, seed uint64) cell.Result {
		r := broken(seed, "", "nil map")
		r.Internal = seed == 2
		return r
	}
	require.Equal(t, cli.ExitInternal, w.do("sim", "--seeds", "9", "--max-failures", "2", "-o", "json"))
	var r report
	require.NoError(t, json.Unmarshal(w.out.Bytes(), &r))
	require.EqualValues(t, 2, r.Totals.Failed)
	require.EqualValues(t, 1, r.Totals.Crashed)
	require.EqualValues(t, 1, r.Totals.Internal)
	require.Equal(t, []cell.Number{{Name: "crash", Value: 1}, {Name: "internal", Value: 1}}, r.Totals.Broken)
	require.False(t, r.Failures[0].Internal)
	require.True(t, r.Failures[1].Internal)
}

// The files of a seed come from a second run, which may panic, too.
func TestAPanicWhenASeedIsRunAgainIsExitFive(t *testing.T) {
	for _, first := range []string{"broken", "clean"} {
		t.Chdir(t.TempDir())
		w := newWorld()
		w.result = func(run int, seed uint64) cell.Result {
			if run > 1 {
				panic("a checker's bug")
			}
			return outcomes[first](run, seed)
		}
		require.Equal(t, cli.ExitInternal, w.do("sim", "--seed", "3", "--out", "files"), first)
		require.Contains(t, w.err.String(), "seed 3", first)
		require.Contains(t, w.err.String(), "a checker's bug", first)
		require.Contains(t, w.out.String()+w.err.String(), "goroutine ", first)
	}
}

// The code that reports progress runs on a worker, and its panics are guarded, too.
func TestAPanicOfWhatTellsIsExitFive(t *testing.T) {
	w := newWorld()
	w.batch = func(ctx context.Context, c runner.Batch) runner.End {
		w.now = func() time.Time { panic("no clock") }
		c.Runner = w.one
		return c.Run(ctx)
	}
	require.Equal(t, cli.ExitInternal, w.do("sim", "--seeds", "4"))
	require.Contains(t, w.err.String(), "chubby: internal error: no clock")
}
