// Package instant is pure: arithmetic on instants, of which the zero one means "none", and counts of
// the time between them.
package instant

import "time"

// Earliest is the earliest of some instants, where zero means "none"; zero if all
// are none.
func Earliest(all ...time.Time) (first time.Time) {
	for _, t := range all {
		if first.IsZero() || !t.IsZero() && t.Before(first) {
			first = t
		}
	}
	return first
}
