//go:build course

package lease

import "time"

// end is until when we lead, by our clock, now that a majority has granted what we asked for at asked.
//
// The hole is here.
func end(asked, now time.Time) time.Time {
	return now.Add(term)
}
