package boottime

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSuspensionsAreCountedAndNothingElse(t *testing.T) {
	const base = 3 * time.Hour // the machine was suspended before the program started
	low, high := base-time.Microsecond, base
	m := newMeter(func() time.Duration { return high }, func() (time.Duration, time.Duration) { return low, high })
	require.Zero(t, m.suspended())

	low, high = base-time.Second, base+time.Second // the thread was interrupted while it read the clocks
	require.Zero(t, m.suspended())

	low, high = base+5*time.Minute-time.Microsecond, base+5*time.Minute
	require.Equal(t, 5*time.Minute, m.suspended())
	low, high = base, base+time.Millisecond
	require.Equal(t, 5*time.Minute, m.suspended(), "it never goes back")

	low, high = base+time.Hour, base+time.Hour+time.Microsecond
	require.Equal(t, time.Hour+time.Microsecond, m.suspended())
}

func TestItIsTheClockOfTheMachine(t *testing.T) {
	before := time.Now()
	now := Now()
	require.WithinRange(t, now, before, time.Now())
	for range 1000 {
		next := Now()
		require.False(t, next.Before(now))
		now = next
	}
}

// A test that runs in virtual time has it from Now, too.
func TestVirtualTimeStaysVirtual(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := Now()
		time.Sleep(time.Hour)
		require.Equal(t, time.Hour, Now().Sub(begin))
	})
}
