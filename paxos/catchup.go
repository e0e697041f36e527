package paxos

import "time"

// catchup notices that peers know chosen slots which this node does not know. It fetches them from
// one peer at a time, and turns to the next peer when the last one did not help (P2.10). It decides
// nothing: what a peer reports as chosen was chosen.
type catchup struct {
	target   Slot   // some peer knows the slot below it, and usually all slots below that
	source   NodeID // the peer that reported target, or that is being asked
	due      time.Time
	inFlight bool // a Fetch to source is under way
	wait     time.Duration
}

// noteFirstOpen records that a peer knows all slots below firstOpen.
func (c *catchup) noteFirstOpen(from NodeID, firstOpen Slot) {
	if firstOpen <= c.target {
		return
	}
	c.target = firstOpen
	if c.source == 0 {
		c.source = from
	}
}

// isLagging reports whether there is something to fetch.
func (n *Node) isLagging() bool { return n.learner.firstOpen < n.catchup.target }

// tendCatchup sets the time of the first Fetch when the node falls behind, sends Fetch
// when that is due, and turns to another peer when the last one did not help.
func (n *Node) tendCatchup() {
	c := &n.catchup
	switch {
	case !n.isLagging():
		*c = catchup{target: c.target}
	case c.due.IsZero():
		// The values are often on their way already: wait for a moment.
		c.wait = n.cfg.Retransmit
		c.due = n.now.Add(c.wait)
	case !n.now.Before(c.due):
		if c.inFlight {
			c.source = n.nextSource(c.source)
			c.wait = min(2*c.wait, 8*n.cfg.Retransmit)
			n.count.SourceSwitched++
		}
		n.sendFetch()
	}
}

// nextSource returns the peer after id in the ring of members.
func (n *Node) nextSource(id NodeID) NodeID {
	ids := n.members.at(n.learner.firstOpen).ids
	for i := range ids {
		if ids[i] > id && ids[i] != n.cfg.ID {
			return ids[i]
		}
	}
	if ids[0] != n.cfg.ID {
		return ids[0]
	}
	return ids[min(1, len(ids)-1)]
}

func (n *Node) sendFetch() {
	c := &n.catchup
	if c.source == 0 || c.source == n.cfg.ID {
		c.source = n.nextSource(n.cfg.ID)
	}
	from := n.learner.firstOpen
	c.inFlight = true
	c.due = n.now.Add(c.wait)
	n.count.Fetches++
	most := Slot(min(n.cfg.FetchSlots, n.cfg.MaxAhead)) // more would be too far
	n.outbox.post(0, c.source, Fetch{Slots: Range{From: from, To: min(c.target, from+most)}})
}

// onFetch answers with the chosen values that this node knows; after an empty answer the
// other node turns to another peer.
func (n *Node) onFetch(from NodeID, m Fetch) {
	values := n.learner.chosenValues(m.Slots, n.fetchLimits)
	n.outbox.post(0, from, FetchReply{
		From:      m.Slots.From,
		Values:    values,
		FirstOpen: n.learner.firstOpen,
		Floor:     n.learner.known.base,
	})
}

func (n *Node) onFetchReply(from NodeID, m FetchReply) {
	if n.isTooFar(m.From + Slot(max(len(m.Values), 1)) - 1) {
		n.count.TooFar++
		return
	}
	before := n.learner.firstOpen
	for i, v := range m.Values {
		n.learn(m.From+Slot(i), v)
	}
	n.catchup.noteFirstOpen(from, m.FirstOpen)
	n.noteFloor(from, m.Floor)
	if n.learner.firstOpen > before && n.isLagging() && from == n.catchup.source {
		n.catchup.wait = n.cfg.Retransmit
		n.sendFetch()
	}
}
