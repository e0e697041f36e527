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
	m := newMeter(func() (time.Duration, time.Duration) { return low, high })
	require.Zero(t, m.suspended(0))

	low, high = base-time.Second, base+time.Second // the thread was interrupted while it read the clocks
	require.Zero(t, m.suspended(time.Second))

	low, high = base+5*time.Minute-time.Microsecond, base+5*time.Minute
	require.Equal(t, 5*time.Minute, m.suspended(5*time.Minute))
	low, high = base, base+time.Millisecond
	require.Equal(t, 5*time.Minute, m.suspended(0), "it never goes back")

	low, high = base+time.Hour, base+time.Hour+time.Microsecond
	require.Equal(t, time.Hour+time.Microsecond, m.suspended(time.Hour))
}

// The time of day is set and slewed while the machine is awake: that is no suspension. A
// suspension counts whatever the time of day did before, and an instant that was read
// before it hides nothing from the next.
func TestTheTimeOfDayMovesAlone(t *testing.T) {
	var asleep time.Duration
	m := newMeter(func() (time.Duration, time.Duration) { return asleep, asleep })
	day := time.Duration(0)
	for _, step := range []time.Duration{time.Hour, -3 * time.Hour, 900 * time.Microsecond, 900 * time.Microsecond, -20 * time.Millisecond} {
		day += step
		require.Zero(t, m.suspended(day))
	}
	before := day
	asleep, day = asleep+20*time.Millisecond, day+20*time.Millisecond
	require.Equal(t, asleep, m.suspended(day))
	require.Equal(t, asleep, m.suspended(before), "read before, and asked for after")
	asleep, day = asleep+time.Hour, day+time.Hour
	require.Equal(t, asleep, m.suspended(day))
}

func TestTheClocksAreReadOnlyWhereTheTimeOfDayMoved(t *testing.T) {
	reads := 0
	m := newMeter(func() (time.Duration, time.Duration) { reads++; return 0, 0 })
	reads = 0
	for range 1000 {
		m.suspended(still)
	}
	require.Zero(t, reads)
	for i := range time.Duration(100) { // 500 ppm for 100 s
		m.suspended(i * 500 * time.Microsecond)
	}
	require.InDelta(t, 33, reads, 20, "once for each millisecond or two")
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

func BenchmarkNow(b *testing.B) {
	for b.Loop() {
		Now()
	}
}
