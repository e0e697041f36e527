package replicas

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
)

// tenure is the time for which a replica leads. A leader with read authority has grants of a
// majority, so no other replica can be elected. It answers a Prepare at a higher ballot by
// raising its own ballot above it (P4.09), and does not step down. A leader that did would
// step down whenever a replica comes back, and cost all sessions a fail-over.
type tenure struct {
	isLeader  bool
	authority time.Time // end of its read authority at the last step

	quorumLosses, handOvers, installs uint64 // how often it stepped down: for silence, to hand over, to install a snapshot
}

// onActed checks the end of a step; authority returns the end of a leader's read authority. A
// replica may stop leading for another candidate only if its read authority has ended (L1).
func (t *tenure) onActed(w *sim.World, now time.Time, r *paxos.Status, authority func() time.Time) {
	was := *t
	if !was.isLeader && r.Role != paxos.Leader {
		return
	}
	*t = tenure{isLeader: r.Role == paxos.Leader, quorumLosses: r.Count.QuorumLost, handOvers: r.Count.HandedOver, installs: r.Count.Installed}
	if t.isLeader {
		t.authority = authority()
		return
	}
	if now.Before(was.authority) && was.quorumLosses == t.quorumLosses && was.handOvers == t.handOvers && was.installs == t.installs {
		w.Diverge("L1", "replica %d steps down for another candidate, although it has grants of a majority until %v", r.ID, was.authority)
	}
}
