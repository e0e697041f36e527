package session

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/replica/api"
)

// The heap agrees with a list that is sorted anew each time.
func TestTimersGiveTheEarliestAndThenTheLowestSession(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var heap timers
		var all []*entry
		for i := range 20 {
			all = append(all, &entry{id: api.SessionID(i + 1), place: nowhere})
		}
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			e := rapid.SampledFrom(all).Draw(t, "session")
			e.due = time.Time{}
			if n := rapid.IntRange(0, 10).Draw(t, "due"); n > 0 {
				e.due = time.Unix(int64(n), 0)
			}
			heap.set(e)
			var sorted []*entry
			for _, e := range all {
				if !e.due.IsZero() {
					sorted = append(sorted, e)
				}
			}
			slices.SortFunc(sorted, func(a, b *entry) int {
				if c := a.due.Compare(b.due); c != 0 {
					return c
				}
				return int(a.id) - int(b.id)
			})
			require.Len(t, heap.heap, len(sorted))
			if len(sorted) > 0 {
				require.Same(t, sorted[0], heap.first())
			} else {
				require.Nil(t, heap.first())
			}
			for i, x := range heap.heap {
				require.Equal(t, i, x.e.place)
			}
		}
	})
}
