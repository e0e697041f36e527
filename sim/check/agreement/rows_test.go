package agreement

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/driver"
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
	f.h.Rows.checkReportedSum(2, core.SumReport{Slot: 1, Sum: db.Sum{A: 7}})
	f.h.Rows.OnRowStray(3)
	f.h.Rows.checkReportedSum(3, core.SumReport{Slot: 1, Sum: db.Sum{A: 8}})
	f.h.Claims.OnMessage(2, 1, string(driver.AppendTransfer(nil, driver.TellSum{Slot: 1, Sum: db.Sum{A: 7}})))
	f.h.Claims.OnMessage(2, 1, string(driver.AppendTransfer(nil, driver.NoSum{Slot: 1})))
	f.good()
	f.h.Rows.checkReportedSum(2, core.SumReport{Slot: 1, Sum: db.Sum{A: 8}})
	f.breaks("S6")

	f = after()
	f.h.Claims.OnMessage(2, 1, string(driver.AppendTransfer(nil, driver.TellSum{Slot: 1, Sum: db.Sum{A: 8}})))
	f.breaks("S6")

	relay := func(id, to paxos.NodeID, a uint64) {
		m := driver.Relay{From: 2, To: 1, M: driver.TellSum{Slot: 1, Sum: db.Sum{A: a}}}
		f.h.Claims.OnMessage(id, to, string(driver.AppendTransfer(nil, m)))
	}
	f = after()
	relay(2, 3, 7)
	relay(3, 1, 7)
	f.good()
	relay(2, 3, 8)
	f.breaks("S6")

	f = after()
	f.h.Rows.OnRowStray(2)
	relay(2, 3, 8)
	f.h.Disks[2].Stray = false // its next life
	relay(3, 1, 8)
	f.good()

	f = after()
	relay(3, 1, 7) // the author has not sent it
	f.breaks("I-W1")

	f = after()
	f.h.Rows.checkReportedSum(2, core.SumReport{Slot: 2, Sum: db.Sum{A: 7}})
	f.breaks("S6")
}

// The rows of a replica that were made to differ are not compared with others.
func TestS6AStrayedReplicaAppliesFirst(t *testing.T) {
	f := newFacts(t)
	f.vote(1, 1, ballot(1, 1), "a")
	f.vote(2, 1, ballot(1, 1), "a")
	f.h.Rows.OnRowStray(1)
	f.apply(1, 1, "a", 8)
	f.apply(2, 1, "a", 7)
	f.good()
	f.apply(3, 1, "a", 8)
	f.breaks("S6")
}

func TestS6AReplicaThatStopsHadAReason(t *testing.T) {
	f := newFacts(t)
	f.h.Rows.OnRowStray(1)
	f.h.Rows.OnStopped(1, fmt.Errorf("stop: %w", core.ErrMinority))
	f.h.Rows.OnStopped(2, fmt.Errorf("stop: its log failed"))
	f.good()
	f.vote(1, 1, ballot(1, 1), "a")
	f.vote(2, 1, ballot(1, 1), "a")
	f.apply(2, 1, "a", 7)
	f.h.Rows.OnStopped(2, fmt.Errorf("stop: %w", core.ErrMemory))
	f.breaks("S6")
	require.Regexp(t, "; when it applied slot 1, its checksum was 0*7[0-9a-f]*, as that of the others$", f.w.Failure().Text)
}

// A replica whose rows have another checksum than it keeps reports none of them. It may
// report, for a snapshot, the checksum that it keeps: a snapshot sums every row again.
func TestS6AReplicaWithRottenRowsReportsNoSum(t *testing.T) {
	f := newFacts(t)
	f.vote(1, 1, ballot(1, 1), "a")
	f.vote(2, 1, ballot(1, 1), "a")
	f.apply(1, 1, "a", 7)
	f.apply(2, 1, "a", 7)
	f.h.Rows.OnRowRot(2)
	f.vote(1, 2, ballot(1, 1), "b")
	f.vote(2, 2, ballot(1, 1), "b")
	f.apply(1, 2, "b", 8)
	f.apply(2, 2, "b", 8)
	report := func(slot paxos.Slot, a uint64) {
		f.h.Claims.OnMessage(2, 1, string(driver.AppendSumReport(nil, core.SumReport{Slot: slot, Sum: db.Sum{A: a}})))
	}
	report(1, 7) // of an earlier slot
	f.h.Claims.OnMessage(2, 1, string(driver.AppendTransfer(nil, driver.TellSum{Slot: 2, Sum: db.Sum{A: 8}})))
	f.good()
	report(2, 8)
	f.breaks("S6")
}
