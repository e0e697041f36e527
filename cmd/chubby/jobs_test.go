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
		for _, command := range [][]string{{"sim", "mutants"}, {"lab", "load", "etcd"}} {
			require.Equal(t, cli.ExitUsage, w.do(append(command, "--jobs", fmt.Sprint(jobs))...))
			require.Contains(t, w.err.String(), fmt.Sprintf("--jobs %d: must be 0 to %d", jobs, cli.MostJobs()))
		}
	}
}
