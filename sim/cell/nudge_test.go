package cell

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
)

// nudge finds a replica that acts before the wake that it asked for, and does not change one that
// does not (I-W3).
func TestWhatFallsDueIsAskedAWakeFor(t *testing.T) {
	for _, late := range []bool{false, true} {
		c := someCell(t, 11, func(*plan.Plan) {})
		require.Equal(t, sim.Reached, c.world.Run(2*time.Second))
		r := running(c.world.Machine(1))
		for !r.Due.After(r.Now) {
			require.Equal(t, sim.Reached, c.world.Run(c.world.Now()+time.Millisecond))
		}
		now := r.Due.Add(-1)
		if late {
			now, r.Due = r.Due, r.Due.Add(1)
		}
		r.nudges = 0
		for range nudgeEvery - 1 {
			nudge(r, now)
			require.Nil(t, c.world.Failure(), "not at each input")
		}
		nudge(r, now)
		require.Equal(t, late, c.world.Failure() != nil)
		if late {
			require.Equal(t, "I-W3", c.world.Failure().ID)
		}
	}
}
