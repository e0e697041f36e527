package simcmd

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
)

func TestJobsHaveABound(t *testing.T) {
	w := newWorld()
	for _, line := range []string{"sim", "sim verify", "sim experiment recovery"} {
		for _, jobs := range []int{-1, cli.MostJobs() + 1, 1_000_000} {
			require.Equal(t, cli.ExitUsage, w.do(append(strings.Fields(line), "--jobs", fmt.Sprint(jobs))...), line)
			require.Contains(t, w.err.String(), fmt.Sprintf("--jobs %d: must be 0 to %d", jobs, cli.MostJobs()), line)
		}
	}
	require.Equal(t, cli.ExitClean, w.do("sim", "--seeds", "1", "--jobs", fmt.Sprint(cli.MostJobs())), w.err.String())
}
