package cli

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestResultsComeInOrder(t *testing.T) {
	for _, jobs := range []int{0, 1, 7} {
		var got []uint64
		InOrder(context.Background(), jobs, 50, func(i uint64) uint64 { return i * i }, func(r uint64) { got = append(got, r) })
		require.Len(t, got, 50)
		for i, r := range got {
			require.Equal(t, uint64(i*i), r)
		}
	}
}

func TestNoWorkBeginsAfterTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var got []uint64
	InOrder(ctx, 1, 50, func(i uint64) uint64 { return i }, func(r uint64) {
		if got = append(got, r); r == 3 {
			cancel()
		}
	})
	require.Equal(t, []uint64{0, 1, 2, 3}, got, "what ended is told, nothing more is begun")
}

func TestAPanicOfOrderedWorkIsTheCallers(t *testing.T) {
	var got []uint64
	run := func() {
		InOrder(context.Background(), 2, 50, func(i uint64) uint64 {
			if i == 3 {
				panic("at three")
			}
			return i
		}, func(r uint64) { got = append(got, r) })
	}
	defer func() {
		require.Contains(t, recover(), "at three")
		require.Equal(t, []uint64{0, 1, 2}, got)
	}()
	run()
	require.Fail(t, "it returned")
}

// No goroutine is begun that has nothing to do.
func TestNoMoreJobsThanWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, jobs := time.Now(), 0
		InOrder(t.Context(), 1_000_000_000, 3, func(uint64) time.Duration {
			time.Sleep(time.Second)
			return time.Since(began)
		}, func(d time.Duration) {
			require.Equal(t, time.Second, d)
			jobs++
		})
		require.Equal(t, 3, jobs)
	})
}
