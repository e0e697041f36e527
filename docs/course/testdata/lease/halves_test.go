//go:build course

package lease

import (
	"testing"
	"time"
)

// Each closes half of the hole, and its test must fail.
func TestHalf(t *testing.T) {
	t.Run("no_clock_errs", func(t *testing.T) {
		oneLeader(t, func(asked, _ time.Time) time.Time { return asked.Add(term) })
	})
	t.Run("from_the_answer", func(t *testing.T) {
		oneLeader(t, func(_, now time.Time) time.Time { return now.Add(term * (1_000_000 - ppm) / (1_000_000 + ppm)) })
	})
	t.Run("one_clock_errs", func(t *testing.T) {
		oneLeader(t, func(asked, _ time.Time) time.Time { return asked.Add(term * (1_000_000 - ppm) / 1_000_000) })
	})
}
