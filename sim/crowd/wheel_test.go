package crowd

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The wheel against a list: no entry rings before its tick, and each rings by then.
func TestTheWheelRingsInTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w wheel
		now := time.Unix(50, 0)
		w.begin(now)
		due := map[int32]time.Time{}
		for i := range int32(rapid.IntRange(1, 200).Draw(t, "steps")) {
			at := now.Add(time.Duration(rapid.Int64Range(-1e9, 200e9).Draw(t, "at")))
			due[i] = w.set(i, at)
			require.True(t, due[i].After(now))
			require.False(t, due[i].Before(at) && due[i].Before(now.Add((wheelSlots-2)*wheelGrain)), "too early, and not for want of room")
			if rapid.Bool().Draw(t, "pass") {
				next := w.next()
				now = now.Add(time.Duration(rapid.Int64Range(0, 30e9).Draw(t, "pass by")))
				w.turn(now, func(i int32) {
					require.False(t, due[i].After(now))
					require.False(t, due[i].Before(next))
					delete(due, i)
				})
				for _, at := range due {
					require.True(t, at.After(now), "an entry was not told")
				}
			}
		}
	})
}
