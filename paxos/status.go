package paxos

import (
	"fmt"

	"github.com/chubbycell/chubby/internal/instant"
)

// Counters count events of one process life. They are for tables and tests; no decision depends on
// them.
type Counters struct {
	Campaigns       uint64 // phase 1 begun
	Tenures         uint64 // phase 1 won
	QuorumLost      uint64 // leadership given up because no quorum answered
	NoopFilled      uint64 // holes filled with a no-op because a quorum had no vote there
	UnreadableVotes uint64 // unreadable votes met in complete phase 1 answers
	DecidedUnread   uint64 // of these, those in the quorums that decided phase 1
	WindowFull      uint64 // a proposal had to wait because the window was full
	Refused         uint64 // commands refused because MaxPending commands waited
	Retransmitted   uint64 // Accepts sent again
	Fetches         uint64 // Fetches sent
	SourceSwitched  uint64 // catch-up turned to another source
	Stale           uint64 // replies to an earlier ballot, boot or page
	StaleBoots      uint64 // of these, pages of the present ballot that answer an earlier life
	Strangers       uint64 // messages from nodes that are not members
	TooFar          uint64 // slots beyond MaxAhead
	Installed       uint64 // snapshots of peers installed
	// InstalledOverVote counts installed snapshots that covered a slot with a vote not yet known to
	// be chosen, InstalledBelowVote those with votes above them.
	InstalledOverVote  uint64
	InstalledBelowVote uint64
	LeaseRejections    uint64 // promises, votes and grants refused because a grant to another ran
	Waited             uint64 // campaigns put off because of a grant to another
	StaleGrants        uint64 // grants that came too late to count, or for another ballot
	Boosts             uint64 // phase 1 begun by a leader that continues to lead
	Boosted            uint64 // boosts that kept the tenure
	HandedOver         uint64 // leaderships given up by Resign
}

// Role says what a node is doing.
type Role string

// The roles of a node.
const (
	Follower  Role = "follower"
	Candidate Role = "candidate"
	Leader    Role = "leader"
)

// Status shows the state of a node, for traces and dumps.
type Status struct {
	ID        NodeID
	Boot      Boot
	Role      Role
	Ballot    Ballot // of its own attempt; zero for a follower
	Promised  Ballot
	Leader    NodeID // as far as it knows; 0: none
	Source    NodeID // the peer asked for chosen values now; 0: none
	FirstOpen Slot
	Applied   Slot
	Floor     Slot // votes and values below were dropped
	VotesEnd  Slot // first slot above all votes
	Next      LSN  // number of the next record
	Durable   LSN
	Held      int // messages that wait for the disk
	Pending   int // commands that wait for a slot
	Values    int // slots in memory for chosen values
	Proposals int // of a leader, slots in memory for what it proposed
	Asked     int // of a leader, heartbeats of which a grant would count
	Count     Counters
}

// InFlight returns the number of slots from the first open one to the last one in which this node
// has proposed as leader; 0 unless it leads.
func (n *Node) InFlight() int {
	if n.lead == nil || n.lead.next <= n.learner.firstOpen {
		return 0
	}
	return int(n.lead.next - n.learner.firstOpen)
}

// ChosenIn returns how long each proposal of this node as leader took, in this process life, from its Accepts
// until a quorum had voted. It is for metrics; no decision depends on it.
func (n *Node) ChosenIn() instant.Histogram { return n.chosenIn }

// Leading returns the leader as far as this node knows, even if TakeOutput has not returned it as
// Output.Tenure yet.
func (n *Node) Leading() Tenure { return n.leader }

// Status returns a copy of the node's present state.
func (n *Node) Status() Status {
	role := Follower
	switch {
	case n.lead != nil:
		role = Leader
	case n.campaign != nil:
		role = Candidate
	}
	proposals, asked := 0, 0
	if n.lead != nil {
		proposals, asked = len(n.lead.proposals.items), len(n.lead.lease.askedAt)
	}
	var source NodeID
	if n.catchup.inFlight && n.isLagging() {
		source = n.catchup.source
	}
	return Status{
		ID: n.cfg.ID, Boot: n.boot, Role: role, Ballot: n.ownBallot(), Promised: n.acceptor.promised, Leader: n.leader.Leader, Source: source,
		FirstOpen: n.learner.firstOpen, Applied: n.learner.applied, Floor: n.acceptor.votes.base, VotesEnd: n.acceptor.votes.end(),
		Next: n.outbox.next(), Durable: n.outbox.durable, Held: len(n.outbox.waiting), Pending: n.pending.len(), Count: n.count,
		Values: len(n.learner.known.items), Proposals: proposals, Asked: asked,
	}
}

// String returns one line with the fields in a fixed order.
func (s Status) String() string {
	return fmt.Sprintf("%d %-9s ballot %v promised %v leader %d open %d votes to %d lsn %d/%d held %d pending %d",
		s.ID, s.Role, s.Ballot, s.Promised, s.Leader, s.FirstOpen, s.VotesEnd, s.Durable, s.Next-1, s.Held, s.Pending)
}
