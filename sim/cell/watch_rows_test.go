package cell

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim/plan"
)

func TestS6SumsThatAreToldAreTrue(t *testing.T) {
	after := func() *facts {
		f := newFacts(t)
		f.vote(1, 1, ballot(1, 1), "a")
		f.vote(2, 1, ballot(1, 1), "a")
		f.apply(1, 1, "a", 7)
		return f
	}
	f := after()
	f.h.ClaimsSum(2, core.SumReport{Slot: 1, Sum: db.Sum{A: 7}})
	f.h.OnRowStray(3)
	f.h.ClaimsSum(3, core.SumReport{Slot: 1, Sum: db.Sum{A: 8}})
	f.h.OnMessage(2, 1, string(driver.AppendTransfer(nil, driver.TellSum{Slot: 1, Sum: db.Sum{A: 7}})))
	f.h.OnMessage(2, 1, string(driver.AppendTransfer(nil, driver.NoSum{Slot: 1})))
	f.good()
	f.h.ClaimsSum(2, core.SumReport{Slot: 1, Sum: db.Sum{A: 8}})
	f.breaks("S6")

	f = after()
	f.h.OnMessage(2, 1, string(driver.AppendTransfer(nil, driver.TellSum{Slot: 1, Sum: db.Sum{A: 8}})))
	f.breaks("S6")

	relay := func(id, to paxos.NodeID, a uint64) {
		m := driver.Relay{From: 2, To: 1, M: driver.TellSum{Slot: 1, Sum: db.Sum{A: a}}}
		f.h.OnMessage(id, to, string(driver.AppendTransfer(nil, m)))
	}
	f = after()
	relay(2, 3, 7)
	relay(3, 1, 7)
	f.good()
	relay(2, 3, 8)
	f.breaks("S6")

	f = after()
	f.h.OnRowStray(2)
	relay(2, 3, 8)
	f.h.Disks[2].Stray = false // its next life
	relay(3, 1, 8)
	f.good()

	f = after()
	relay(3, 1, 7) // it was not said
	f.breaks("I-W1")

	f = after()
	f.h.ClaimsSum(2, core.SumReport{Slot: 2, Sum: db.Sum{A: 7}})
	f.breaks("S6")
}

// The rows of a replica that was made to differ are no measure for others.
func TestS6AStrayedReplicaAppliesFirst(t *testing.T) {
	f := newFacts(t)
	f.vote(1, 1, ballot(1, 1), "a")
	f.vote(2, 1, ballot(1, 1), "a")
	f.h.OnRowStray(1)
	f.apply(1, 1, "a", 8)
	f.apply(2, 1, "a", 7)
	f.good()
	f.apply(3, 1, "a", 8)
	f.breaks("S6")
}

func TestS6AReplicaThatStopsHadAReason(t *testing.T) {
	f := newFacts(t)
	f.h.OnRowStray(1)
	f.h.OnStopped(1, fmt.Errorf("stop: %w", core.ErrMinority))
	f.h.OnStopped(2, fmt.Errorf("stop: its log failed"))
	f.good()
	f.h.OnStopped(2, fmt.Errorf("stop: %w", core.ErrMemory))
	f.breaks("S6")
}

// Nor does a replica tell of rows that have another checksum than it keeps; what it
// keeps it may tell for a snapshot, of which every row is summed once more.
func TestS6WhoseRowsRotTellsNoSum(t *testing.T) {
	f := newFacts(t)
	f.vote(1, 1, ballot(1, 1), "a")
	f.vote(2, 1, ballot(1, 1), "a")
	f.apply(1, 1, "a", 7)
	f.apply(2, 1, "a", 7)
	f.h.OnRowRot(2)
	f.vote(1, 2, ballot(1, 1), "b")
	f.vote(2, 2, ballot(1, 1), "b")
	f.apply(1, 2, "b", 8)
	f.apply(2, 2, "b", 8)
	report := func(slot paxos.Slot, a uint64) {
		f.h.OnMessage(2, 1, string(driver.AppendSumReport(nil, core.SumReport{Slot: slot, Sum: db.Sum{A: a}})))
	}
	report(1, 7) // of before
	f.h.OnMessage(2, 1, string(driver.AppendTransfer(nil, driver.TellSum{Slot: 2, Sum: db.Sum{A: 8}})))
	f.good()
	report(2, 8)
	f.breaks("S6")
}

// A stray row stops its replica soon, and its next life is well.
func TestAStrayRowIsFound(t *testing.T) {
	for family := range "ucdos" {
		c := someCell(t, uint64(10+family))
		c.plan.Driver.Core.ChecksumEvery = time.Second
		r := running(c.replicas[1])
		c.watch.Budget.Take(r.Id)
		c.watch.OnRowStray(r.Id)
		r.Host.Core().CorruptRow("ucdos"[family:][:1]+"~~~~~~~~~~~~~~~~", "x")
		require.NotNil(t, c.strayed())
		c.cure()
		require.Nil(t, c.world.Failure())
		require.Nil(t, c.strayed())
		require.Equal(t, 1, c.watch.Minority)
		c.heal()
		c.liveness(c.world.Now())
		c.epilogue()
		require.Nil(t, c.world.Failure())
	}
}

// So does one behind the back of the checksum, before anybody is told of it, and by
// a snapshot where no comparison comes first.
func TestARowThatRotsIsFound(t *testing.T) {
	for _, every := range []time.Duration{time.Second, time.Hour} {
		c := someCell(t, 30, func(p *plan.Plan) { p.Driver.Core.ChecksumEvery, p.Driver.SnapshotEvery = every, 20 })
		r := running(c.replicas[1])
		c.watch.Budget.Take(r.Id)
		c.watch.OnRowRot(r.Id)
		r.Host.Core().RotRow("u~~~~~~~~~~~~~~~~", "x")
		c.cure()
		require.Nil(t, c.world.Failure())
		require.Equal(t, 1, c.watch.Rotted)
		require.Zero(t, c.watch.Audits.Disagreed)
		c.heal()
		c.liveness(c.world.Now())
		c.epilogue()
		require.Nil(t, c.world.Failure())
	}
}

// And where the product does not find it, that is seen.
func TestS6AStrayRowThatIsNeverFound(t *testing.T) {
	c := someCell(t, 20)
	c.watch.OnRowStray(2) // so the books say; its rows are those of all others
	c.cure()
	require.NotNil(t, c.world.Failure())
	require.Equal(t, "S6", c.world.Failure().ID)
}
