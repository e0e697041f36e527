package agreement

import (
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/sim"
)

// Epochs records which replica began each epoch in the log, and which serves it (S2).
type Epochs struct {
	world     *sim.World
	Highest   api.Epoch            // highest epoch applied anywhere
	began     map[api.Epoch]holder // by whose command each began
	lastEpoch paxos.Ballot         // ballot of the last one that began
	served    map[api.Epoch]paxos.Ballot
	tenures   []*core.Serving // last seen, by replica

	Failovers  int
	LateEpochs uint64 // epochs that began at a lower ballot than the one before
}

func newEpochs(w *sim.World, replicas int) *Epochs {
	return &Epochs{world: w, began: map[api.Epoch]holder{}, served: map[api.Epoch]paxos.Ballot{}, tenures: make([]*core.Serving, replicas+1)}
}

// holder is the replica that began an epoch, and its ballot.
type holder struct {
	id     paxos.NodeID
	ballot paxos.Ballot
}

// onBegan takes in that the log begins an epoch.
func (h *Epochs) onBegan(e rows.Epoch) {
	if e.Number <= h.Highest {
		h.world.Break("S2", "epoch %d begins after epoch %d", e.Number, h.Highest)
	}
	h.Highest = e.Number
	b := paxos.Ballot{Round: e.Ballot.Round, Node: paxos.NodeID(e.Ballot.Node)}
	if b.Less(h.lastEpoch) {
		h.LateEpochs++
	}
	h.lastEpoch = b
	h.began[e.Number] = holder{paxos.NodeID(e.Master), b}
}

// OnTenure reports whether a replica has begun to serve in a new epoch, and checks the epoch
// if so.
func (h *Epochs) OnTenure(id paxos.NodeID, n *core.Replica) bool {
	s := n.Serving()
	if s == nil || s == h.tenures[id] {
		return false
	}
	h.tenures[id] = s
	h.Failovers++
	h.OnServing(id, s)
	return true
}

// OnServing checks that the replica that serves an epoch is the one that began it in the log
// (S2): no two tenures share an epoch, and none is invented.
func (h *Epochs) OnServing(id paxos.NodeID, s *core.Serving) {
	if was, now := h.began[s.Epoch], (holder{id, s.Ballot}); was != now {
		h.world.Break("S2", "replica %d at ballot %v serves epoch %d, which replica %d at ballot %v began", id, s.Ballot, s.Epoch, was.id, was.ballot)
	}
	for e, b := range h.served { // order-free: any breach ends the run, all are breaches
		if e > s.Epoch && b.Less(s.Ballot) {
			h.world.Break("S2", "replica %d at ballot %v serves epoch %d after epoch %d", id, s.Ballot, s.Epoch, e)
		}
	}
	h.served[s.Epoch] = s.Ballot
}
