package paxos

import "time"

// Resign makes the node stop leading or campaigning, as if it had met a higher ballot; values that
// it proposed may still be chosen. Its read authority ends first. Released frees the members from
// their grants, and they may campaign before this node does. Resign is for an operator that wants
// another leader, and for fault injection (PML §6.3). It is safe at any time.
func (n *Node) Resign(now time.Time) {
	n.setNow(now)
	if n.lead != nil {
		n.count.HandedOver++
	}
	n.stepDown()
	n.election.postpone(now)
	n.handleLocal()
}

// Campaign makes a node that does not lead campaign now, instead of waiting until it hears no
// leader. It still waits for the end of a grant to another node. It is safe at any time, and at
// worst deposes a leader needlessly.
func (n *Node) Campaign(now time.Time) {
	n.setNow(now)
	if n.lead == nil {
		n.tryCampaign()
	}
	n.handleLocal()
}
