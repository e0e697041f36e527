package sim

// Agreement is property S1. It receives facts at the instant at which they become true: durable
// votes, and values that nodes consider chosen. It breaks the run as soon as two facts contradict
// each other:
//
//   - two values have votes under one (slot, ballot);
//   - two values have a quorum of votes each at one ballot, in one slot;
//   - a quorum voted for a value at one ballot, so the value is chosen, and a vote at a higher
//     ballot is for another value (not with RaftLike);
//   - two nodes consider different values chosen, or one considers a value chosen
//     that has no quorum of votes (only if votes are reported).
type Agreement struct {
	w      *World
	quorum int
	rule   VoteRule
	votes  bool
	slots  map[uint64]*slotVotes
}

// slotVotes is what is known of one slot.
type slotVotes struct {
	ballots    []ballotVotes // in the order of their first votes
	decided    bool          // a quorum voted at one ballot
	ballot     Ballot        // the lowest such ballot
	value      string
	newest     map[Addr]string // of each disk, whatever its ballot; only with RaftLike
	isReported bool            // a node considers a value chosen
	chosen     string
	by         Addr // the first such node
}

type ballotVotes struct {
	ballot Ballot
	value  string
	voters []Addr
}

// NewAgreement returns the property for the given number of acceptors, of which any majority is a
// quorum.
func NewAgreement(w *World, members int, rule VoteRule) *Agreement {
	return &Agreement{w: w, quorum: members/2 + 1, rule: rule, slots: map[uint64]*slotVotes{}}
}

// ID returns S1.
func (a *Agreement) ID() string { return "S1" }

// Check reports nothing: contradictions break the run when they arise.
func (a *Agreement) Check(*World) error { return nil }

// Slots returns the number of slots in which a value is known to be chosen.
func (a *Agreement) Slots() int {
	n := 0
	for _, s := range a.slots { // order-free: counting
		if s.decided || s.isReported {
			n++
		}
	}
	return n
}

func (a *Agreement) slot(n uint64) *slotVotes {
	s := a.slots[n]
	if s == nil {
		s = &slotVotes{}
		a.slots[n] = s
	}
	return s
}

// OnVote records that node's disk durably holds vote v. Repeating it is harmless.
func (a *Agreement) OnVote(node Addr, v Vote) {
	a.votes = true
	s := a.slot(v.Slot)
	b := s.at(v.Ballot, v.Value)
	if b.value != v.Value {
		a.w.Break("S1", "slot %d, ballot %d.%d: votes for %q and, by %s, for %q",
			v.Slot, v.Ballot.Round, v.Ballot.Node, b.value, node, v.Value)
		return
	}
	if a.rule == RaftLike {
		if s.newest == nil {
			s.newest = map[Addr]string{}
		}
		s.newest[node] = v.Value
		return
	}
	for _, n := range b.voters {
		if n == node {
			return
		}
	}
	b.voters = append(b.voters, node)
	if len(b.voters) == a.quorum && (!s.decided || v.Ballot.Less(s.ballot)) {
		s.decided, s.ballot, s.value = true, v.Ballot, v.Value
	}
	a.judge(v.Slot, s)
}

// at returns the votes of a ballot.
func (s *slotVotes) at(b Ballot, value string) *ballotVotes {
	for i := range s.ballots {
		if s.ballots[i].ballot == b {
			return &s.ballots[i]
		}
	}
	s.ballots = append(s.ballots, ballotVotes{ballot: b, value: value})
	return &s.ballots[len(s.ballots)-1]
}

// holders counts the disks whose newest vote is for value.
func (s *slotVotes) holders(value string) (n int) {
	for _, v := range s.newest { // order-free: counting
		if v == value {
			n++
		}
	}
	return n
}

// judge compares all votes above the chosen ballot with the chosen value.
func (a *Agreement) judge(slot uint64, s *slotVotes) {
	if !s.decided {
		return
	}
	for i := range s.ballots {
		if b := &s.ballots[i]; s.ballot.Less(b.ballot) && b.value != s.value {
			a.w.Break("S1", "slot %d: %q was chosen at ballot %d.%d, but %s voted for %q at %d.%d",
				slot, s.value, s.ballot.Round, s.ballot.Node, b.voters[0], b.value, b.ballot.Round, b.ballot.Node)
			return
		}
	}
}

// OnChosen records that node considers value chosen in slot.
func (a *Agreement) OnChosen(node Addr, slot uint64, value string) {
	s := a.slot(slot)
	switch {
	case s.isReported && s.chosen != value:
		a.w.Break("S1", "slot %d: %s took %q for chosen, and now %s takes %q", slot, s.by, s.chosen, node, value)
	case a.rule == RaftLike && a.votes && !s.isReported && s.holders(value) < a.quorum:
		a.w.Break("S1", "slot %d: %s takes %q for chosen, but it is the newest vote of %d disks only, of %d that are needed", slot, node, value, s.holders(value), a.quorum)
	case a.rule == RaftLike:
	case a.votes && !s.decided:
		a.w.Break("S1", "slot %d: %s takes %q for chosen, but no quorum of disks has a vote for it", slot, node, value)
	case a.votes && s.value != value:
		a.w.Break("S1", "slot %d: %s takes %q for chosen, but %q was", slot, node, value, s.value)
	}
	if !s.isReported {
		s.isReported, s.chosen, s.by = true, value, node
	}
}

// Checksums is property S6: replicas that have applied the same slots have the same state.
type Checksums struct {
	w    *World
	sums map[uint64]sumAt
}

type sumAt struct {
	node Addr
	sum  uint64
}

// NewChecksums returns the property.
func NewChecksums(w *World) *Checksums { return &Checksums{w: w, sums: map[uint64]sumAt{}} }

// ID returns S6.
func (c *Checksums) ID() string { return "S6" }

// Check reports nothing: differences break the run when they arise.
func (c *Checksums) Check(*World) error { return nil }

// OnApplied records that node has applied all slots up to slot, and the checksum of
// its state.
func (c *Checksums) OnApplied(node Addr, slot, sum uint64) {
	first, ok := c.sums[slot]
	if !ok {
		c.sums[slot] = sumAt{node, sum}
		return
	}
	if first.sum != sum {
		c.w.Break("S6", "slot %d: the state of %s is %016x, that of %s %016x", slot, first.node, first.sum, node, sum)
	}
}
