package paxos

// startLeading begins phase 2: phase 1 demands values for the first open slots, all slots
// above are free.
func (n *Node) startLeading(demanded []Value) {
	c := n.campaign
	if n.lead != nil {
		n.dropAttempt() // the boost has become an election
	}
	n.campaign = nil
	n.verifyDemands(c, demanded)
	n.verifyPromised(c.ballot)
	n.lead = newLeadership(c, n.acceptor.promiseLSN, demanded, &n.cfg, n.now)
	n.count.Tenures++
	n.election.onLeader(n.now)
	n.leader = Tenure{Leader: n.cfg.ID, Ballot: c.ballot, Mine: true, From: n.lead.firstOwn}
	n.publishTenure()
	n.sendHeartbeats()
}

// tendLeadership does what is due while the node leads.
func (n *Node) tendLeadership() {
	l := n.lead
	heartbeatIsDue := !n.now.Before(l.heartbeatDue)
	if heartbeatIsDue && n.now.Sub(l.quorumHeardAt(n.cfg.ID, n.now)) > 2*n.cfg.ElectionMax { // only with a heartbeat: quorum loss has no wake-up of its own
		n.count.QuorumLost++
		n.stepDown()
		n.election.postpone(n.now)
		return
	}
	if n.campaign != nil {
		n.tendBoost()
	}
	if n.lead != l {
		return
	}
	if heartbeatIsDue {
		n.sendHeartbeats()
	}
	if n.campaign == nil && !l.resendDue.IsZero() && !n.now.Before(l.resendDue) {
		n.retransmit()
	}
}

// followLeader follows a leader whose ballot the acceptor did not refuse.
func (n *Node) followLeader(from NodeID, b Ballot) {
	n.stepDownFor(b)
	n.setLeader(from, b)
	n.election.onLeader(n.now)
}

// setLeader records the leader, and prepares a Tenure for the Output if it changed.
func (n *Node) setLeader(leader NodeID, b Ballot) {
	if n.leader.Leader == leader && n.leader.Ballot == b {
		return
	}
	n.leader = Tenure{Leader: leader, Ballot: b}
	n.publishTenure()
}

func (n *Node) publishTenure() {
	t := n.leader
	n.newTenure = &t
}

// ownBallot returns the ballot at which the node leads or campaigns, or zero.
func (n *Node) ownBallot() Ballot {
	switch {
	case n.lead != nil:
		return n.lead.ballot
	case n.campaign != nil:
		return n.campaign.ballot
	}
	return Ballot{}
}

// stepDownFor steps down if b is above the node's own ballot.
func (n *Node) stepDownFor(b Ballot) {
	if n.ownBallot().Less(b) {
		n.stepDown()
	}
}

// stepDown stops leading or campaigning.
func (n *Node) stepDown() {
	if n.campaign == nil && n.lead == nil {
		return
	}
	n.dropAttempt()
	n.setLeader(0, Ballot{})
}

// dropAttempt ends the node's own campaign and tenure, without a new Tenure in the Output.
func (n *Node) dropAttempt() {
	if n.lead != nil {
		n.sendReleased()
	}
	n.campaign, n.lead = nil, nil
	n.pending.clear()
	n.cancelProposals()
}

// cancelProposals drops the Accepts and Heartbeats that wait for the disk when their ballot has
// ended: they would be refused, or would ask for grants that this node would not count.
func (n *Node) cancelProposals() {
	n.outbox.cancel(func(m Message) bool {
		switch m.(type) {
		case Accept, Heartbeat:
			return true
		}
		return false
	})
}
