//go:build course

package lease

import "time"

// end is until when we lead, now that a majority has granted what we asked for at r.asked.
func (r *replica) end(now time.Time) time.Time {
	// The others count from when they answered, which is later than r.asked. In the worst case their clocks
	// run faster by ppm, and ours slower.
	return r.asked.Add(term * (1_000_000 - ppm) / (1_000_000 + ppm))
}
