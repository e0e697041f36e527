package main

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestJobsHaveABound(t *testing.T) {
	w := newWorld()
	for _, line := range []string{"sim", "sim verify", "sim experiment recovery", "sim mutants"} {
		for _, jobs := range []int{-1, mostJobs() + 1, 1_000_000} {
			require.Equal(t, exitUsage, w.do(append(strings.Fields(line), "--jobs", fmt.Sprint(jobs))...), line)
			require.Contains(t, w.err.String(), fmt.Sprintf("--jobs %d: 0 to %d", jobs, mostJobs()), line)
		}
	}
	require.Equal(t, exitClean, w.do("sim", "--seeds", "1", "--jobs", fmt.Sprint(mostJobs())), w.err.String())
}

// No goroutine is begun that has nothing to do.
func TestNoMoreJobsThanWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, jobs := time.Now(), 0
		inOrder(t.Context(), 1_000_000_000, 3, func(uint64) time.Duration {
			time.Sleep(time.Second)
			return time.Since(began)
		}, func(d time.Duration) {
			require.Equal(t, time.Second, d)
			jobs++
		})
		require.Equal(t, 3, jobs)
	})
}
