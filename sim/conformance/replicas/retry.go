package replicas

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
)

// retry is what one life of a replica owes after a snapshot of its own has failed, by its
// own clock: it is tried again after Config.RetryAfter, or log and memory grow for as
// long as the life lasts (L2). To try is to ask the others about the rows, or to write
// where there is nobody to ask.
type retry struct {
	failed time.Time // zero: it owes none
}

// ends is told what became of a job of the bulk lane. A snapshot from elsewhere may do as
// well.
func (s *retry) ends(now time.Time, result driver.BulkResult) {
	switch j := result.(type) {
	case driver.WriteDone:
		if s.failed = now; j.Err == nil {
			s.failed = time.Time{}
		}
	case driver.PutDone:
		if j.Rows != nil {
			s.failed = time.Time{}
		}
	}
}

// acts is told what a host wants done; held says that a peer which fetches a snapshot
// keeps new ones back.
func (s *retry) acts(w *sim.World, id paxos.NodeID, now time.Time, after time.Duration, out *driver.Output, held bool) {
	if s.failed.IsZero() {
		return
	}
	if tries(out) {
		s.failed = time.Time{}
	} else if late := now.Sub(s.failed); late >= after && !held {
		w.Break("L2", "replica %d does not try again %v after its snapshot failed, it is to after %v", id, late, after)
	}
}

// tries says that a snapshot is begun.
func tries(out *driver.Output) bool {
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
