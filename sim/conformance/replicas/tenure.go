package replicas

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
)

// tenure is the time for which a replica leads. Who has read authority has the word of a majority that
// nobody else can be elected: a higher ballot that somebody asks for is answered with one
// that is higher still (P4.09), and no reason to stop. One that stops for it does so
// whenever somebody who was away comes back, and costs all sessions a fail-over.
type tenure struct {
	leads bool
	until time.Time // of its authority, as of the last step

	silent, asked, replaced uint64 // times it gave up: for silence, on demand, for a snapshot
}

// acts is told what has become of a replica, and until when a leader has authority. One
// that has stopped leading, for no reason that it names, had none any more (L1).
func (t *tenure) acts(w *sim.World, now time.Time, r *paxos.Status, until func() time.Time) {
	was := *t
	if !was.leads && r.Role != paxos.Leader {
		return
	}
	*t = tenure{leads: r.Role == paxos.Leader, silent: r.Count.QuorumLost, asked: r.Count.HandedOver, replaced: r.Count.Installed}
	if t.leads {
		t.until = until()
		return
	}
	if now.Before(was.until) && was.silent == t.silent && was.asked == t.asked && was.replaced == t.replaced {
		w.Break("L1", "replica %d stops leading for somebody else, and has the word of a majority until %v", r.ID, was.until)
	}
}
