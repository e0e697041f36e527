package simcmd

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/cell"
)

// measure runs an experiment of three seeds, one run at a time.
func measure(t *testing.T, w *world) (code int, m measured) {
	code = w.do("sim", "experiment", "recovery", "--seeds", "3", "--jobs", "1", "-o", "json")
	require.NoError(t, json.Unmarshal(w.out.Bytes(), &m), w.err.String())
	require.Equal(t, code, m.Exit)
	return code, m
}

// A seed runs in all places of the grid before the next one. So after an interrupt the numbers of seeds in two places
// differ by at most one.
func TestAnInterruptedExperimentIsBalanced(t *testing.T) {
	w := newWorld()
	w.result = func(_ int, seed uint64) cell.Result {
		if seed == 2 {
			w.stop()
		}
		return clean(seed)
	}
	code, m := measure(t, w)
	require.Equal(t, cli.ExitInterrupted, code)
	require.True(t, m.Interrupted)
	require.Equal(t, 2, m.Points[0].Seeds)
	require.Equal(t, 1, m.Points[len(m.Points)-1].Seeds)
}

func TestAPanicOfTheSimulatorIsNoVerdict(t *testing.T) {
	w := newWorld()
	w.result = outcomes["panic"]
	code, m := measure(t, w)
	require.Equal(t, cli.ExitInternal, code)
	require.EqualValues(t, 3*len(m.Points), m.Internal)
	require.Zero(t, m.Points[0].Judged)
	require.Contains(t, w.err.String(), "chubby: internal error: seed 1: internal: the simulator panicked: a bug of the simulator\n")
}
