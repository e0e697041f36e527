package paxos

import "time"

// Resign makes the node stop leading or campaigning, as if somebody with a
// higher ballot had come; values that were proposed may still be chosen. Read
// authority ends first, all members are told that they need not honour their grants,
// and they may campaign before this node does (I-T4). It is for an operator who wants
// another leader, and for fault injection (PML §6.3: a master made to believe that it
// is none). Any caller, at any time.
func (n *Node) Resign(now time.Time) {
	n.setNow(now)
	if n.lead != nil {
		n.count.HandedOver++
	}
	n.stepDown()
	n.election.postpone(now)
	n.handleLocal()
}

// Campaign makes the node try to lead now, unless it does, without waiting for a
// leader to fall silent. It waits out the word it has given to another node. It
// is safe at any time and a nuisance at most.
func (n *Node) Campaign(now time.Time) {
	n.setNow(now)
	if n.lead == nil {
		n.lastLed = time.Time{}
		n.tryCampaign()
	}
	n.handleLocal()
}
