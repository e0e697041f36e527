package simcmd

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/runner"
)

const largest = "18446744073709551615"

func TestSeedsBeyondTheLargestAreRefused(t *testing.T) {
	w := newWorld()
	for line, want := range map[string]string{
		"sim --from " + largest + " --seeds 2":                     "--from " + largest + " --seeds 2: the largest seed is " + largest,
		"sim --from " + largest:                                    "--from " + largest + " --seeds 200:",
		"sim verify --from " + largest + " --seeds 2":              "--from " + largest + " --seeds 2:",
		"sim experiment recovery --from " + largest + " --seeds 2": "--from " + largest + " --seeds 2:",
		"sim experiment recovery --from 0 --seeds " + largest:      "--seeds " + largest + ": at most ",
	} {
		require.Equal(t, cli.ExitUsage, w.do(strings.Fields(line)...), line)
		require.Contains(t, w.err.String(), want, line)
		require.Zero(t, w.runs, line)
	}
	for _, line := range []string{"sim --seeds 1 --from ", "sim verify --seeds 1 --from ", "sim --seed "} {
		require.Equal(t, cli.ExitClean, w.do(append(strings.Fields(line), largest)...), "%s%s", line, &w.err)
	}
}

// A batch ends after the largest seed, even if that seed did not count. It does not go on with seed 0.
func TestABatchGivesUpBehindTheLargestSeed(t *testing.T) {
	w := newWorld()
	w.result = outcomes["idle"]
	w.batch = func(ctx context.Context, c runner.Batch) runner.End {
		c.Runner = w.one
		return c.Run(ctx)
	}
	require.Equal(t, cli.ExitUndecided, w.do("sim", "--seeds", "1", "--from", largest), w.err.String())
	require.Contains(t, w.err.String(), "gave up: 1 seeds were idle")
}

// Four times this number of seeds overflows to 0.
func TestVeryManySeedsAreNotGivenUp(t *testing.T) {
	w := newWorld()
	w.stopAt = 3
	require.Equal(t, cli.ExitInterrupted, w.do("sim", "--seeds", "9223372036854775808"))
	require.NotContains(t, w.err.String(), "gave up")
}
