package store

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/paxos"
)

// The index against a list of all records.
func TestIndexModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var x index
		var slots []paxos.Slot // of record i+1
		dropped := paxos.LSN(1)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			if rapid.IntRange(0, 3).Draw(t, "what") > 0 {
				slots = append(slots, paxos.Slot(rapid.IntRange(0, 12).Draw(t, "slot")))
				x.add(paxos.LSN(len(slots)), slots[len(slots)-1])
				continue
			}
			below := paxos.Slot(rapid.IntRange(1, 13).Draw(t, "below"))
			next := paxos.LSN(len(slots) + 1)
			want := dropped
			for want < next && slots[want-1] < below {
				want++
			}
			got := max(dropped, x.first(below, next))
			require.Equal(t, want, got)
			x.drop(below)
			dropped = want
			require.LessOrEqual(t, len(x), 12)
		}
	})
}
