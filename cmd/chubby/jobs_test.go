package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
)

func TestJobsOfHuntsHaveABound(t *testing.T) {
	w := newWorld()
	for _, jobs := range []int{-1, cli.MostJobs() + 1} {
		require.Equal(t, cli.ExitUsage, w.do("sim", "mutants", "--jobs", fmt.Sprint(jobs)))
		require.Contains(t, w.err.String(), fmt.Sprintf("--jobs %d: 0 to %d", jobs, cli.MostJobs()))
	}
}
