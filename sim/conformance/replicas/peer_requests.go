package replicas

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
)

// peerRequests are the requests of other replicas that one life of a replica has to answer:
// values of the log, pieces of a snapshot, sums of its rows; and the transfers that it has to
// relay. A peer that gets no answer asks again, or asks another replica, so a run does not
// show that it was forgotten (L1).
type peerRequests struct {
	fetches    map[paxos.NodeID]int // by peer, how many
	pieces     map[paxos.NodeID]bool
	sums       map[route]paxos.Slot // the latest request of each route
	relays     []relayed
	isBulkBusy bool // a snapshot job is under way
}

// route is the replica that sent a request and the one that relayed it, or the same twice.
type route struct{ from, via paxos.NodeID }

// relayed is a transfer that this replica has to relay.
type relayed struct {
	to paxos.NodeID
	m  driver.Relay
}

func newPeerRequests() peerRequests {
	return peerRequests{fetches: map[paxos.NodeID]int{}, pieces: map[paxos.NodeID]bool{}, sums: map[route]paxos.Slot{}}
}

// onMessage records a message that the replica takes.
func (p *peerRequests) onMessage(from paxos.NodeID, m paxos.Message) {
	if _, ok := m.(paxos.Fetch); ok {
		p.fetches[from]++
	}
}

// onTransfer records a transfer of another replica.
func (p *peerRequests) onTransfer(self, from paxos.NodeID, m driver.Transfer) {
	switch m := m.(type) {
	case driver.Ask:
		p.pieces[from] = true
	case driver.AskSum:
		p.sums[route{from, from}] = m.Slot
	case driver.Relay:
		if q, ok := m.M.(driver.AskSum); ok && m.To == self && m.From != from {
			p.sums[route{m.From, from}] = q.Slot
		}
		if m.From == from && m.To != self {
			p.relays = append(p.relays, relayed{m.To, m})
		}
	}
}

// hasPending reports whether some request has no answer yet.
func (p *peerRequests) hasPending() bool {
	return len(p.fetches)+len(p.pieces)+len(p.sums)+len(p.relays) > 0
}

// onSend records bytes that leave.
func (p *peerRequests) onSend(self, to paxos.NodeID, wire string) {
	if !driver.IsTransfer(wire) {
		if m, err := paxos.DecodeMessage(wire); err == nil {
			if _, ok := m.(paxos.FetchReply); ok {
				if p.fetches[to]--; p.fetches[to] <= 0 {
					delete(p.fetches, to)
				}
			}
		}
		return
	}
	m, _ := driver.DecodeTransfer(wire)
	switch m := m.(type) {
	case driver.Piece, driver.Gone:
		delete(p.pieces, to)
	case driver.Relay:
		if m.From == self {
			p.onSumReply(route{m.To, to}, m.M)
		} else {
			p.onRelay(relayed{to, m})
		}
	default:
		p.onSumReply(route{to, to}, m)
	}
}

func (p *peerRequests) onSumReply(w route, m driver.Transfer) {
	switch m := m.(type) {
	case driver.TellSum:
		p.clearSum(w, m.Slot)
	case driver.NoSum:
		p.clearSum(w, m.Slot)
	}
}

func (p *peerRequests) clearSum(w route, slot paxos.Slot) {
	if p.sums[w] == slot {
		delete(p.sums, w)
	}
}

func (p *peerRequests) onRelay(m relayed) {
	for i, x := range p.relays {
		if x == m {
			p.relays = append(p.relays[:i], p.relays[i+1:]...)
			return
		}
	}
}

// setBulkBusy records that a snapshot job begins, or has ended.
func (p *peerRequests) setBulkBusy(busy bool) { p.isBulkBusy = busy }

// peers lists the keys of a map, for reports.
func peers[V any](of map[paxos.NodeID]V) string {
	var all []string
	for _, id := range slices.Sorted(maps.Keys(of)) {
		all = append(all, fmt.Sprintf("replica %d", id))
	}
	return strings.Join(all, ", ")
}

// onActed checks the end of a step: held messages wait for the disk, and an answer may be
// among them; the log is applied up to slot applied.
func (p *peerRequests) onActed(w *sim.World, id paxos.NodeID, held int, applied paxos.Slot) {
	if len(p.fetches) > 0 && held == 0 {
		w.Diverge("L1", "replica %d does not answer the requests of %s for values of the log, of which it has applied those below slot %d", id, peers(p.fetches), applied+1)
	}
	if len(p.pieces) > 0 && !p.isBulkBusy {
		w.Diverge("L1", "replica %d does not answer the requests of %s for a piece of a snapshot, and no snapshot job is under way", id, peers(p.pieces))
	}
	for x, slot := range p.sums { // order-free: any breach ends the run
		if slot <= applied {
			w.Diverge("L1", "replica %d does not answer replica %d, by way of replica %d, with the sum after slot %d, although it has applied %d", id, x.from, x.via, slot, applied)
			return
		}
	}
	if len(p.relays) > 0 {
		w.Diverge("L1", "replica %d does not relay to replica %d the transfer of replica %d", id, p.relays[0].to, p.relays[0].m.From)
	}
}
