package agreement

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/chubbycell/chubby/paxos"
)

// checkLead: a replica that proposes at a ballot has finished phase 1 of that very ballot. A
// quorum of disks has promised the ballot, in the same attempt. No other life of the proposer
// has proposed at it: that life would give its slots other values, since it does not know the
// first one's. The proposer's own acceptor is not bound to another replica. It may be bound
// to a later attempt of its own, since a message that waited for a slow disk leaves together
// with what came after it.
func (h *Claims) checkLead(id paxos.NodeID, m paxos.Accept) {
	a, d := h.attempt(m.Ballot), &h.Disks[id]
	switch n := bits.OnesCount64(a.promises); {
	case d.Promise.Less(m.Ballot) || d.Promise.Node != m.Ballot.Node:
		h.breakClaim(id, m, "ballot %v with %v promised on its disk", m.Ballot, d.Promise)
	case n < h.Quorum:
		h.breakClaim(id, m, "ballot %v, which %d disks have promised (%s)", m.Ballot, n, h.promised())
	case a.boot != 0 && a.boot != d.Boot:
		h.breakClaim(id, m, "ballot %v in life %d, and life %d has proposed at it", m.Ballot, d.Boot, a.boot)
	}
	a.boot = d.Boot
	if !h.allowed(a, m) {
		h.breakClaim(id, m, "%v for slot %d, which no quorum of those who promised %v allows", m.Value, m.Slot, m.Ballot)
	}
}

// promised lists what each disk has promised, for reports.
func (h *Claims) promised() string {
	var all []string
	for id := range h.Disks[1:] {
		all = append(all, fmt.Sprintf("that of replica %d: %v", id+1, h.Disks[id+1].Promise))
	}
	return strings.Join(all, ", ")
}

// allowed is the value rule (PMS §2.2), seen from outside: among the replicas that promised
// the ballot, some quorum has no vote in the slot, or its highest vote is for this value. A
// replica that has promised casts no more votes at lower ballots, so what disks hold now is
// what they held then. It is unknown for a replica that has voted since at this ballot or
// above, and for one whose disk is damaged; then allowed returns true.
func (h *Claims) allowed(a *attempt, m paxos.Accept) bool {
	f := h.Slot(m.Slot)
	if f.chosen {
		return !f.ballot.Less(m.Ballot) || f.value == m.Value
	}
	var before []paxos.Vote
	free := 0
	for id := 1; id < len(h.Disks); id++ {
		if a.promises&(1<<id) == 0 {
			continue
		}
		v, voted := h.Disks[id].votes.at(m.Slot)
		switch {
		case h.Budget.IsHurt(paxos.NodeID(id)), voted && !v.Ballot.Less(m.Ballot):
			return true
		case voted:
			before = append(before, paxos.Vote{Slot: v.Slot, Ballot: v.Ballot, Value: v.Value})
		default:
			free++
		}
	}
	if free >= h.Quorum {
		return true
	}
	var best paxos.Ballot // at which a replica voted for this value
	for _, v := range before {
		if v.Value == m.Value && best.Less(v.Ballot) {
			best = v.Ballot
		}
	}
	for _, v := range before {
		if !best.Less(v.Ballot) {
			free++
		}
	}
	return !best.IsZero() && free >= h.Quorum
}
