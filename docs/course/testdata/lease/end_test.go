//go:build course

package lease

import "time"

// end is until when we lead, by our clock, now that a majority has granted what we asked for at asked.
func end(asked, now time.Time) time.Time {
	// The others count from when they answered, which is later than asked. In the worst case their clocks
	// run faster by ppm, and ours slower.
	return asked.Add(term * (1_000_000 - ppm) / (1_000_000 + ppm))
}
