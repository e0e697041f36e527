//go:build course

package lease

import "time"

// end is until when we lead, now that a majority has granted what we asked for at r.asked.
//
// The hole is here.
func (r *replica) end(now time.Time) time.Time {
	return now.Add(term)
}
