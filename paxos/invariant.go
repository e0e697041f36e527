package paxos

import "github.com/chubbycell/chubby/internal/invariant"

// verify walks the whole state; it runs after every input under the build tag
// deep. The invariants are numbered in DESIGN.md; those that compare two
// instants (delta) or two places (pair) are asserted where they happen.
func (n *Node) verify() {
	n.verifyVotes()
	n.verifyLearner()
	if n.lead != nil {
		n.verifyLead()
	}
	if n.bid != nil && n.lead != nil {
		invariant.Failf("I-P4", "node %d campaigns and leads at once", n.cfg.ID)
	}
}

// I-A2: no vote above the promise.
func (n *Node) verifyVotes() {
	for i := range n.acceptor.votes.items {
		v := &n.acceptor.votes.items[i]
		if n.acceptor.promised.Less(v.ballot) {
			invariant.Failf("I-A2", "node %d slot %d: vote at %v above the promise %v",
				n.cfg.ID, n.acceptor.votes.base+Slot(i), v.ballot, n.acceptor.promised)
		}
	}
}

// I-L2: applied <= delivered <= first gap.
func (n *Node) verifyLearner() {
	l := &n.learner
	if l.applied >= l.firstOpen {
		invariant.Failf("I-L2", "node %d applied %d, first open slot %d", n.cfg.ID, l.applied, l.firstOpen)
	}
	if k := l.known.get(l.firstOpen); k != nil && k.chosen {
		invariant.Failf("I-L2", "node %d holds slot %d as chosen and did not hand it out", n.cfg.ID, l.firstOpen)
	}
}

// I-L3: nothing is proposed beyond the window. I-P1: nothing but what phase 1
// demands is proposed below the slots it closed.
func (n *Node) verifyLead() {
	l := n.lead
	if top := n.learner.firstOpen + Slot(n.cfg.Window); l.next > max(top, l.props.base) && l.props.end() > top {
		invariant.Failf("I-L3", "node %d proposed up to %d, first open slot %d, window %d", n.cfg.ID, l.next-1, n.learner.firstOpen, n.cfg.Window)
	}
	if len(l.demanded) > 0 && l.next+Slot(len(l.demanded)) != l.from {
		invariant.Failf("I-P1", "node %d: %d demanded values left at slot %d, own slots begin at %d", n.cfg.ID, len(l.demanded), l.next, l.from)
	}
}
