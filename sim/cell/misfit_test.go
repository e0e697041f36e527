package cell

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
)

// cellWithAMisfit returns a cell of three replicas. The third has another configuration, and joins
// after the others have dropped the log records that set the constants.
func cellWithAMisfit(t *testing.T) *seedRun {
	return someCell(t, 8, func(p *plan.Plan) {
		p.Driver.SnapshotEvery, p.Driver.KeepSlots = 10, 0
		p.Driver.Core.Paxos.Lease.Grant = 2 * time.Second
		p.Misfit = plan.Misfit{Replica: 3, Grant: time.Second, Joins: 4 * time.Second}
	})
}

func TestAMisfitThatLearnsOfItByASnapshotStops(t *testing.T) {
	c := cellWithAMisfit(t)
	require.Equal(t, sim.Reached, c.world.RunFor(5*time.Second))
	require.Nil(t, c.world.Failure())
	require.EqualValues(t, 1, c.rare.misfitsTold)
	require.Equal(t, 2*time.Second, c.configs.Grant(3), "it was corrected")
}

// A replica that continues although its rows contradict its configuration is found at its next
// step, however it got the rows.
func TestS7AMisfitThatGoesOn(t *testing.T) {
	c := cellWithAMisfit(t)
	r := running(c.machines.Replicas[0])
	c.checkConfig(r)
	require.Nil(t, c.world.Failure())
	c.configs.Swap(1)
	r.Act()
	require.NotNil(t, c.world.Failure())
	require.Equal(t, "S7", c.world.Failure().ID)
}
