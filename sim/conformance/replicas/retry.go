package replicas

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
)

// retry is when a snapshot of one life of a replica failed, by its clock. The replica tries again
// after Config.RetryAfter; otherwise log and memory grow as long as the life lasts (L2). Only a
// snapshot that is due by the number of slots is demanded: whether one is due by the bytes of
// the log may change as the rows grow. An attempt is a question to the others for their sums,
// or a write if there are no others.
type retry struct {
	failedAt time.Time // zero: none failed since the last attempt
}

// onBulkDone records the result of a snapshot job. An installed snapshot makes up for a
// failed one.
func (r *retry) onBulkDone(now time.Time, result driver.BulkResult) {
	switch j := result.(type) {
	case driver.WriteDone:
		if r.failedAt = now; j.Err == nil {
			r.failedAt = time.Time{}
		}
	case driver.PutDone:
		if j.Rows != nil {
			r.failedAt = time.Time{}
		}
	}
}

// onActed checks the driver's output. isDue says that a snapshot is due by the slots since
// the last one, and that no peer that fetches a snapshot prevents a new one.
func (r *retry) onActed(w *sim.World, id paxos.NodeID, now time.Time, after time.Duration, out *driver.Output, isDue bool) {
	if r.failedAt.IsZero() {
		return
	}
	if isAttempt(out) {
		r.failedAt = time.Time{}
	} else if late := now.Sub(r.failedAt); late >= after && isDue {
		w.Diverge("L2", "replica %d has not tried again %v after its snapshot failed; it has to after %v", id, late, after)
	}
}

// isAttempt reports that output out begins a snapshot.
func isAttempt(out *driver.Output) bool {
	if _, writes := out.Bulk.(driver.WriteJob); writes {
		return true
	}
	for _, m := range out.Peers {
		if driver.IsTransfer(string(m.Wire)) {
			if t, _ := driver.DecodeTransfer(string(m.Wire)); isAskSum(t) {
				return true
			}
		}
	}
	return false
}

func isAskSum(t driver.Transfer) bool {
	_, ok := t.(driver.AskSum)
	return ok
}
