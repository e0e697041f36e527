package paxos

import "github.com/chubbycell/chubby/internal/invariant"

// acceptor is the memory of the protocol (PMS §2.2): one promise for all slots, and the last vote
// of each slot. It keeps two rules:
//
//   - it accepts no proposal below its promise (P1a of PMS §2.2);
//   - a promise or a vote is on its disk before a message reports it (PMS §2.5).
//
// Candidates and leaders, including those on this node, reach it only by messages. It knows nothing
// of quorums, elections and time.
type acceptor struct {
	outbox     *outbox
	promised   Ballot
	promiseLSN LSN // of the Promised record of promised; 0: an earlier life wrote it
	votes      slotLog[vote]
	limits     pageLimits
}

// pageLimits bound what one message carries.
type pageLimits struct{ items, bytes int }

// isFull reports whether a page of n items has no room for one more, with which they would have
// size bytes together. One item always fits: otherwise no page could make progress.
func (p pageLimits) isFull(n, size int) bool { return n > 0 && (n >= p.items || size > p.bytes) }

// vote is the last acceptance in a slot; its zero value is "nothing".
type vote struct {
	ballot Ballot
	value  Value
	lsn    LSN  // of its Voted record; 0: an earlier life wrote it
	lost   bool // the disk lost the value, not the ballot (F0.3)
}

// onPrepare handles phase 1a and answers with phase 1b, or with a Nack. It reports
// whether it promised.
func (a *acceptor) onPrepare(from NodeID, m Prepare, firstOpen Slot) bool {
	if m.Ballot.Less(a.promised) {
		a.sendNack(from, m.Ballot, m.Boot, 0)
		return false
	}
	a.raisePromise(m.Ballot) // phase 1b: first the promise, on disk, then the answer
	page, votes, after := a.collectPage(m.From)
	a.outbox.post(after, from, Promise{Ballot: m.Ballot, Boot: m.Boot, Page: page, Votes: votes, FirstOpen: firstOpen})
	return true
}

// collectPage collects the votes from slot from on, as many as fit into one page. It also returns
// the number of the last record that must be durable before the page may leave. If votes were
// dropped, the page begins above the requested slot: absence there is not "nothing".
func (a *acceptor) collectPage(from Slot) (Range, []Vote, LSN) {
	page, after := Range{From: max(from, a.votes.base), To: MaxSlot}, a.promiseLSN
	var votes []Vote
	size := 0
	for s := page.From; s < a.votes.end(); s++ {
		v := a.votes.get(s)
		if v.ballot.IsZero() {
			continue
		}
		size += len(v.value)
		if a.limits.isFull(len(votes), size) {
			page.To = s
			break
		}
		votes = append(votes, Vote{Slot: s, Ballot: v.ballot, Value: v.value, Lost: v.lost})
		after = max(after, v.lsn)
	}
	return page, votes, after
}

// onAccept handles phase 2a: unless a higher ballot was promised, it votes and answers with phase
// 2b. It first raises the promise to the ballot (P11.02: an acceptor that voted at 7 with its
// promise left at 5 would later accept 6). It reports whether it did not refuse the ballot.
func (a *acceptor) onAccept(from NodeID, m Accept) bool {
	if m.Ballot.Less(a.promised) {
		a.sendNack(from, m.Ballot, m.Boot, m.Slot)
		return false
	}
	if m.Slot < a.votes.base {
		return true // chosen long ago and dropped here; the leader will fetch it
	}
	a.raisePromise(m.Ballot)
	lsn := a.castVote(m.Slot, m.Ballot, m.Value) // phase 2b: first the vote, on disk
	a.outbox.post(lsn, from, Accepted{Ballot: m.Ballot, Boot: m.Boot, Slot: m.Slot})
	return true
}

// onHeartbeat refuses a leader below the promise. It reports whether the node may follow
// the leader.
func (a *acceptor) onHeartbeat(from NodeID, m Heartbeat) bool {
	if m.Ballot.Less(a.promised) {
		a.sendNack(from, m.Ballot, m.Boot, 0)
		return false
	}
	return true
}

// castVote records a vote and returns the number of its record. The same vote again
// changes nothing. The same ballot with another value would mean that a leader proposed
// two values in one slot.
func (a *acceptor) castVote(s Slot, b Ballot, value Value) LSN {
	v := a.votes.grow(s)
	if v.ballot == b && !v.lost {
		if v.value != value {
			invariant.Failf("I-A3", "node %d slot %d ballot %v: voted for %v, now asked for %v", a.outbox.self, s, b, v.value, value)
		}
		return v.lsn
	}
	if b.Less(v.ballot) || b != a.promised {
		invariant.Failf("I-A2", "node %d slot %d: a vote at %v, and the promise is %v, the last vote in the slot at %v", a.outbox.self, s, b, a.promised, v.ballot)
	}
	*v = vote{ballot: b, value: value, lsn: a.outbox.record(Voted{Slot: s, Ballot: b, Value: value})}
	return v.lsn
}

// raisePromise makes b the promise, and records it, unless the promise is b or above.
func (a *acceptor) raisePromise(b Ballot) {
	if !a.promised.Less(b) {
		return
	}
	a.promised = b
	a.promiseLSN = a.outbox.record(Promised{Ballot: b})
}

func (a *acceptor) sendNack(to NodeID, b Ballot, boot Boot, s Slot) {
	a.outbox.post(0, to, Nack{Ballot: b, Boot: boot, Slot: s, Promised: a.promised})
}

// restore takes back one record of an earlier life. Records come in LSN order, so the
// last vote of a slot counts. A record that no correct life can have written is a broken
// invariant.
func (a *acceptor) restore(r Record) {
	switch r := r.(type) {
	case Voted:
		a.restoreVote(r.Slot, vote{ballot: r.Ballot, value: r.Value})
	case Unreadable:
		a.restoreVote(r.Slot, vote{ballot: r.Ballot, lost: true})
	}
}

func (a *acceptor) restoreVote(s Slot, v vote) {
	if a.promised.Less(v.ballot) {
		invariant.Failf("I-A2", "node %d slot %d: the disk holds a vote at %v above the promise %v", a.outbox.self, s, v.ballot, a.promised)
	}
	if s < a.votes.base {
		return
	}
	old := a.votes.grow(s)
	if v.ballot.Less(old.ballot) {
		invariant.Failf("I-A2", "node %d slot %d: the disk holds a vote at %v after one at %v", a.outbox.self, s, v.ballot, old.ballot)
	}
	if v.ballot == old.ballot && !old.lost {
		if !v.lost && v.value != old.value {
			invariant.Failf("I-A3", "node %d slot %d ballot %v: the disk holds votes for %v and %v", a.outbox.self, s, v.ballot, old.value, v.value)
		}
		return // the same vote was recorded twice; one copy may be unreadable
	}
	*old = v
}
