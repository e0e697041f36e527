package replicas

import (
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
)

// campaigns is what one life of a replica knows of ballots. A replica campaigns above every
// ballot that it has heard of. Below, the replica that named the ballot would refuse it
// again, and one that is far behind would need as many attempts as it lacks rounds (L1).
type campaigns struct {
	heard  uint64       // highest round heard of
	ballot paxos.Ballot // the latest of its own
	isHeld bool         // messages wait for the disk: the next one to leave may be older than heard
}

// onMessage records a message of another replica before it is taken.
func (c *campaigns) onMessage(m paxos.Message) {
	switch m := m.(type) {
	case paxos.Prepare:
		c.heard = max(c.heard, m.Ballot.Round)
	case paxos.Heartbeat:
		c.heard = max(c.heard, m.Ballot.Round)
	case paxos.Nack:
		c.heard = max(c.heard, m.Promised.Round)
	}
}

// onActed records at the end of a step how many messages wait for the disk.
func (c *campaigns) onActed(waiting int) { c.isHeld = waiting > 0 }

// onSend checks a message that leaves. A message that waited for the disk was made before the
// latest ones were heard, so its ballot is not compared.
func (c *campaigns) onSend(w *sim.World, id paxos.NodeID, m paxos.Message) {
	p, ok := m.(paxos.Prepare)
	if !ok || !c.ballot.Less(p.Ballot) {
		return
	}
	c.ballot = p.Ballot
	if !c.isHeld && p.Ballot.Round <= c.heard {
		w.Diverge("L1", "replica %d campaigns at %v, although it has heard of round %d", id, p.Ballot, c.heard)
	}
}
