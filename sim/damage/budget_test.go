package damage

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
)

func TestTheBudgetLetsNoMoreThanABareMinorityBeDamaged(t *testing.T) {
	for n, f := range map[int]int{1: 0, 2: 0, 3: 1, 4: 1, 5: 2, 6: 2, 7: 3} {
		a, hurt := New(n, 0), 0
		for id := paxos.NodeID(1); int(id) <= n; id++ {
			if a.Take(id) {
				hurt++
			}
		}
		require.Equal(t, f, hurt, "of %d", n)
		require.Zero(t, a.Spare())
		for id := paxos.NodeID(1); int(id) <= n; id++ {
			require.Equal(t, int(id) <= f, a.Take(id), "the first are hit again, the others never")
		}
	}
}

func TestADiskThatMustStopItsReplicaIsNotHitAgain(t *testing.T) {
	a := New(5, 0)
	require.True(t, a.Take(2))
	a.Doom(2)
	require.False(t, a.Take(2))
	require.True(t, a.Take(4))
	a.Bury(4, false)
	require.False(t, a.Take(4))
	require.True(t, a.IsHurt(2) && a.IsHurt(4) && a.IsDead(4) && !a.IsDead(2))
}
