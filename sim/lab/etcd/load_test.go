package etcd

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What the load is for: #11456 loses many updates, its repair leaves some, a check of writes loses
// fewer and a check of reads and writes none, while several clients still act as holders at once.
func TestUpdatesLostUnderPauses(t *testing.T) {
	l := pauses()
	lost, done, holders := make([]int, len(l.Variants)), make([]int, len(l.Variants)), make([]int, len(l.Variants))
	for i, v := range l.Variants {
		for seed := uint64(1); seed <= 4; seed++ {
			toll, err := l.Toll(v, 10, l.Length, seed)
			require.NoError(t, err)
			lost[i], done[i], holders[i] = lost[i]+toll.Lost, done[i]+toll.Done, max(holders[i], toll.Holders)
			if seed == 1 {
				again, err := l.Toll(v, 10, l.Length, seed)
				require.NoError(t, err)
				require.Equal(t, toll, again, "one seed, one history")
			}
		}
		require.Greater(t, done[i], 200, "%s: %v", v.Name, done)
	}
	require.Greater(t, lost[0], 3*lost[1], "#11456: %v", lost)
	require.Greater(t, lost[1], lost[2], "#16822: %v", lost)
	require.Greater(t, lost[3], lost[0], "a service that stands still as a whole: %v", lost)
	require.Greater(t, lost[3], 2*lost[4], "#11456, one server: %v", lost)
	require.Greater(t, lost[0], lost[5], "a check of writes: %v", lost)
	require.Positive(t, lost[5], "a check of writes: %v", lost)
	require.Zero(t, lost[6]+lost[7], "a check of reads and writes")
	require.Greater(t, holders[6], 2, "holders at once: %v", holders)
}
