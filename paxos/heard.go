package paxos

import "time"

// HeardAt returns, by this node's own clock, when a member last answered it as the leader, or when
// the node began to lead, if the member has not answered since. It returns the zero Time if the
// node does not lead, or if member is the node itself or unknown. It is for observers.
func (n *Node) HeardAt(member NodeID) time.Time {
	if n.lead == nil || member == n.cfg.ID {
		return time.Time{}
	}
	i := n.lead.group.index(member)
	if i < 0 {
		return time.Time{}
	}
	return n.lead.lastHeard[i]
}
