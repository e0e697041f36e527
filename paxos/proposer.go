package paxos

// campaign is phase 1 of one ballot, over all slots from start on at once (PMS §3): a
// candidate's election, or the boost of a leader (boost.go). It collects the answers of
// phase 1b and decides by the value rule which value phase 2a must propose in each open
// slot. It is the second half of the safety argument, after the acceptor.
type campaign struct {
	ballot  Ballot
	start   Slot // first open slot: all below are known to be chosen
	group   *Group
	answers []answer // by index in group
}

// answer is what one member has reported so far: its pages, end to end.
type answer struct {
	next  Slot // first slot not covered by a page; MaxSlot: all covered
	votes []Vote
}

func newCampaign(b Ballot, start Slot, g *Group) *campaign {
	c := &campaign{ballot: b, start: start, group: g, answers: make([]answer, len(g.ids))}
	for i := range c.answers {
		c.answers[i].next = start
	}
	return c
}

// addPage records one page and reports whether it had anything new. A page that ends where the last
// one did is a duplicate. A page that begins beyond the end of the last one leaves a gap. It
// ignores both, and the candidate asks again for the missing page. A page that overlaps the last
// one (some of its slots have become known as chosen since the request) counts from where the last
// one ended.
func (c *campaign) addPage(from NodeID, m Promise) bool {
	i := c.group.index(from)
	if i < 0 || m.Ballot != c.ballot {
		return false
	}
	a := &c.answers[i]
	if m.Page.From > a.next || m.Page.To <= a.next {
		return false
	}
	for _, v := range m.Votes {
		if v.Slot >= a.next {
			a.votes = append(a.votes, v)
		}
	}
	a.next = m.Page.To
	return true
}

// skipBelow leaves out the slots below firstOpen, which are known to be chosen by now. This closes
// the gap in the pages of a member that dropped its votes there.
func (c *campaign) skipBelow(firstOpen Slot) {
	c.start = max(c.start, firstOpen)
	for i := range c.answers {
		c.answers[i].next = max(c.answers[i].next, firstOpen)
	}
}

// nextSlot returns the slot with which the next Prepare to a member begins; MaxSlot: its answer is
// complete.
func (c *campaign) nextSlot(id NodeID) Slot { return c.answers[c.group.index(id)].next }

// completeMembers counts the members whose pages cover every open slot.
func (c *campaign) completeMembers() Tally {
	t := NewTally(c.group)
	for i, id := range c.group.ids {
		if c.answers[i].next == MaxSlot {
			t.Add(id)
		}
	}
	return t
}

// unreadableOf counts the unreadable votes in the answer of one member.
func (c *campaign) unreadableOf(id NodeID) (n uint64) {
	for _, v := range c.answers[c.group.index(id)].votes {
		if v.Lost {
			n++
		}
	}
	return n
}

// unreadableInQuorum counts the unreadable votes among those on which result is based.
func (c *campaign) unreadableInQuorum() (n uint64) {
	for _, a := range c.answers {
		for _, v := range a.votes {
			if a.next == MaxSlot && v.Lost && v.Slot >= c.start {
				n++
			}
		}
	}
	return n
}

// result returns the outcome of phase 1: the values that phase 2a must propose in the slots [start,
// start+len), in order. A slot in which no member of the quorum voted, below one in which some
// member did, gets the no-op. All slots above are free. ok is false while no quorum has answered in
// full, or too many votes of some slot are unreadable (F0.3).
func (c *campaign) result() (values []Value, ok bool) {
	complete := c.completeMembers()
	if !complete.HasQuorum() {
		return nil, false
	}
	slots := slotLog[verdict]{base: c.start}
	for i, id := range c.group.ids {
		if !complete.Has(id) {
			continue
		}
		for _, v := range c.answers[i].votes {
			if v.Slot >= c.start {
				slots.grow(v.Slot).add(v)
			}
		}
	}
	for i := range slots.items {
		value, ok := slots.items[i].chooseValue(complete.Count(), c.group.Quorum())
		if !ok {
			return nil, false
		}
		values = append(values, value)
	}
	return values, true
}

// verdict collects the votes of one slot from the members whose answers are complete.
type verdict struct {
	best       Vote   // readable vote with the highest ballot; zero: none
	lostBallot Ballot // highest ballot of an unreadable vote; zero: none
	unreadable int    // members with an unreadable vote here
}

func (v *verdict) add(w Vote) {
	switch {
	case w.Lost:
		v.unreadable++
		if v.lostBallot.Less(w.Ballot) {
			v.lostBallot = w.Ballot
		}
	case v.best.Ballot.Less(w.Ballot):
		v.best = w
	}
}

// chooseValue is the value rule (P2c; PMS §2.2, phase 2a; P2.03): of a quorum's votes,
// the value of the one with the highest ballot; a no-op only where a whole quorum has no
// vote. Beyond PMS, an unreadable vote is not "nothing":
//
//  1. If the members with readable answers are a quorum by themselves, they decide: any
//     quorum does.
//  2. Otherwise an unreadable vote is harmless where a readable one has its ballot or a
//     higher one: one ballot has one value.
//  3. Otherwise the slot must wait for another member.
func (v *verdict) chooseValue(complete, quorum int) (Value, bool) {
	if complete-v.unreadable >= quorum {
		return v.best.Value, true
	}
	if !v.best.Ballot.IsZero() && !v.best.Ballot.Less(v.lostBallot) {
		return v.best.Value, true
	}
	return Noop, false
}
