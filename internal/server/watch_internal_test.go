package server

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The log has it after a while that no leader is known, once a minute as long as that lasts, and from the
// beginning when there is none again.
func TestTheLogSaysForHowLongThereIsNoLeader(t *testing.T) {
	now := time.Unix(1000, 0)
	l := leaderless{since: now}
	after := func(d time.Duration, leader int) time.Duration {
		now = now.Add(d)
		if leader == 0 {
			return l.note(0, now)
		}
		return l.note(2, now)
	}
	require.Zero(t, after(9*time.Second, 0), "also of a replica that has just started")
	require.Equal(t, 10*time.Second, after(time.Second, 0))
	require.Zero(t, after(59*time.Second, 0))
	require.Equal(t, 70*time.Second, after(time.Second, 0))
	require.Zero(t, after(time.Second, 2))
	require.Zero(t, after(9*time.Second, 0))
	require.Zero(t, after(0, 2), "a fail-over is no news")
	require.Zero(t, after(9*time.Second, 0))
	require.Equal(t, 10*time.Second, after(time.Second, 0))
}

// The log has it after a while that the disk does not answer, once a minute as long as that lasts, and then that
// it answers again. Of slow writes it has nothing.
func TestTheLogSaysForHowLongTheDiskHangs(t *testing.T) {
	h := hanging{after: hangingAfter, every: hangingEvery}
	type said struct {
		d      time.Duration
		isOver bool
	}
	note := func(job time.Duration) said { d, is := h.note(job); return said{d, is} }
	for _, quick := range []time.Duration{0, time.Millisecond, 0, 9 * time.Second, time.Millisecond} {
		require.Equal(t, said{}, note(quick))
	}
	for range 2 {
		require.Equal(t, said{10 * time.Second, false}, note(10*time.Second))
		require.Equal(t, said{}, note(69*time.Second))
		require.Equal(t, said{70 * time.Second, false}, note(70*time.Second))
		require.Equal(t, said{}, note(71*time.Second))
		require.Equal(t, said{71 * time.Second, true}, note(time.Millisecond))
		require.Equal(t, said{}, note(0))
	}
}
