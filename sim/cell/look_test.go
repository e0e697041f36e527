package cell

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
)

// look finds a row that no command makes, unless a fault put it there.
func TestRowsAreLookedThrough(t *testing.T) {
	for _, meant := range []bool{false, true} {
		c := someCell(t, 11, func(*plan.Plan) {})
		require.Equal(t, sim.Reached, c.world.Run(2*time.Second))
		r := running(c.world.Machine(1))
		r.Host.Core().CorruptRow("s~~~~~~~~~~~~~~~~", "no session")
		if meant {
			c.watch.Rows.OnRowStray(r.Id)
		}
		r.looks = looks{rowsAt: 2}
		look(r)
		require.Nil(t, c.world.Failure(), "not yet")
		look(r)
		require.Equal(t, meant, c.world.Failure() == nil)
		if f := c.world.Failure(); f != nil {
			require.True(t, strings.HasPrefix(f.ID, "I-R"), "%v", f)
		}
	}
}

// Walks cost each input about the same, and a crowd next to nothing.
func TestWalksBecomeRarerWhereThereIsMuch(t *testing.T) {
	for n, want := range map[int]int{0: 64, 10: 64, 1000: 1000, 32_767: 32_767, 32_768: 65_536, 400_000: 400_000 * 24} {
		require.Equal(t, want, spaced(memoryEvery, n), n)
	}
}
