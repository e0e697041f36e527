package cell

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/plan"
)

// A stray row stops its replica soon, and the next life of the replica is correct.
func TestAStrayRowIsFound(t *testing.T) {
	for family := range "ucdos" {
		c := someCell(t, uint64(10+family))
		c.plan.Driver.Core.ChecksumEvery = time.Second
		r := running(c.machines.Replicas[1])
		c.watch.Budget.Take(r.Id)
		c.watch.Rows.OnRowStray(r.Id)
		r.Host.Core().CorruptRow("ucdos"[family:][:1]+"~~~~~~~~~~~~~~~~", "x")
		require.NotNil(t, c.strayed())
		c.awaitStraysStopped()
		require.Nil(t, c.world.Failure())
		require.Nil(t, c.strayed())
		require.Equal(t, 1, c.watch.Rows.Minority)
		c.heal()
		c.liveness(c.world.Now())
		c.epilogue()
		require.Nil(t, c.world.Failure())
	}
}

// A row that changes without its checksum also stops its replica before any client reads it: at a
// comparison, or at a snapshot if that comes first.
func TestARowThatRotsIsFound(t *testing.T) {
	for _, every := range []time.Duration{time.Second, time.Hour} {
		c := someCell(t, 30, func(p *plan.Plan) { p.Driver.Core.ChecksumEvery, p.Driver.SnapshotEvery = every, 20 })
		r := running(c.machines.Replicas[1])
		c.watch.Budget.Take(r.Id)
		c.watch.Rows.OnRowRot(r.Id)
		r.Host.Core().RotRow("u~~~~~~~~~~~~~~~~", "x")
		c.awaitStraysStopped()
		require.Nil(t, c.world.Failure())
		require.Equal(t, 1, c.watch.Rows.Rotted)
		require.Zero(t, c.watch.Audits.Disagreed)
		c.heal()
		c.liveness(c.world.Now())
		c.epilogue()
		require.Nil(t, c.world.Failure())
	}
}

// A check fails if the product does not find a stray row.
func TestS6AStrayRowThatIsNeverFound(t *testing.T) {
	c := someCell(t, 20)
	c.watch.Rows.OnRowStray(2) // the checker believes so; its rows are those of all others
	c.awaitStraysStopped()
	require.NotNil(t, c.world.Failure())
	require.Equal(t, "S6", c.world.Failure().ID)
}
