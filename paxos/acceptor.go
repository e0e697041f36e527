package paxos

import "github.com/chubbycell/chubby/internal/invariant"

// acceptor is the memory of the protocol (PMS §2.2): one promise for all slots,
// and per slot the last vote. Two rules, and nothing else here matters:
//
//	P1  it accepts nothing below its promise;
//	P2  what it told anybody is on its disk first.
//
// It is shared with no one: candidates and leaders, this node's own included,
// reach it by messages. Quorums, elections and time are unknown to it.
type acceptor struct {
	outbox     *outbox
	promised   Ballot
	promiseLSN LSN // number of the record behind promised; 0: from an earlier life
	votes      slotLog[vote]
	limits     pageLimits
}

// pageLimits bound what one message carries.
type pageLimits struct{ items, bytes int }

// full says that no item more fits into a page of n items if they would then
// have size bytes together. One item always fits, or the page would never move.
func (p pageLimits) isFull(n, size int) bool { return n > 0 && (n >= p.items || size > p.bytes) }

// vote is the last acceptance in a slot; its zero value is "nothing".
type vote struct {
	ballot Ballot
	value  Value
	lsn    LSN  // number of the record; 0: from an earlier life
	lost   bool // the disk lost the value; the ballot is right (F0.3)
}

// prepare handles phase 1a. It says whether the ballot stands: false means it
// was refused.
func (a *acceptor) onPrepare(from NodeID, m Prepare, firstOpen Slot) bool {
	if m.Ballot.Less(a.promised) {
		a.sendNack(from, m.Ballot, m.Boot, 0)
		return false
	}
	a.raisePromise(m.Ballot)
	page, votes, after := a.collectPage(m.From)
	a.outbox.post(after, from, Promise{Ballot: m.Ballot, Boot: m.Boot, Page: page, Votes: votes, FirstOpen: firstOpen})
	return true
}

// page collects the votes from slot from on, as many as fit in one page, and
// the number of the last record they stand on. Where votes were dropped the
// page begins above the asked slot: absence there is not "nothing".
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

// accept handles phase 2a: it votes unless a higher ballot was promised, raising
// the promise first where the ballot is higher (P11.02: greater or equal; an
// acceptor that voted at 7 with its promise left at 5 would accept 6 later).
func (a *acceptor) onAccept(from NodeID, m Accept) bool {
	if m.Ballot.Less(a.promised) {
		a.sendNack(from, m.Ballot, m.Boot, m.Slot)
		return false
	}
	if m.Slot < a.votes.base {
		return true // decided and dropped here long ago; the asker will fetch it
	}
	a.raisePromise(m.Ballot)
	lsn := a.castVote(m.Slot, m.Ballot, m.Value)
	a.outbox.post(lsn, from, Accepted{Ballot: m.Ballot, Boot: m.Boot, Slot: m.Slot})
	return true
}

// heartbeat says whether ballot may be followed: nothing higher was promised.
func (a *acceptor) onHeartbeat(from NodeID, m Heartbeat) bool {
	if m.Ballot.Less(a.promised) {
		a.sendNack(from, m.Ballot, m.Boot, 0)
		return false
	}
	return true
}

// vote makes a vote durable and returns the number of its record. The same vote
// again changes nothing; the same ballot with another value would mean that a
// leader proposed twice.
func (a *acceptor) castVote(s Slot, b Ballot, value Value) LSN {
	v := a.votes.grow(s)
	if v.ballot == b && !v.lost {
		if v.value != value {
			invariant.Failf("I-A3", "node %d slot %d ballot %v: voted for %v, now asked for %v", a.outbox.self, s, b, v.value, value)
		}
		return v.lsn
	}
	if b.Less(v.ballot) || b != a.promised {
		invariant.Failf("I-A2", "node %d slot %d: vote at %v after one at %v, promise %v", a.outbox.self, s, b, v.ballot, a.promised)
	}
	*v = vote{ballot: b, value: value, lsn: a.outbox.record(Voted{Slot: s, Ballot: b, Value: value})}
	return v.lsn
}

// raise makes b the promise, durably, unless it is already.
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

// restore takes back one record of an earlier life. Records come in LSN order,
// so the last vote of a slot is the one that counts; what could not have been
// written is not believed either.
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
		return // the same vote twice; one of them may be unreadable
	}
	*old = v
}
