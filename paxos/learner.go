package paxos

import "github.com/chubbycell/chubby/internal/invariant"

// learner knows which values were chosen (PMS §2.3) and hands them out in slot order, each once. It
// learns a value when this node as leader counts a quorum of votes at one ballot (leader.go), from
// a leader that did (Chosen), or from a peer that knows it (FetchReply).
type learner struct {
	outbox    *outbox
	known     slotLog[learned]
	firstOpen Slot    // all slots below are known, and handed out
	applied   Slot    // the state machine has consumed the slots up to here
	toApply   []Entry // since the last TakeOutput
	toSettle  Range   // to be recorded in one Settled
}

type learned struct {
	value  Value
	chosen bool
}

// learn records that value was chosen in slot s. voted says that the node's own last vote there has
// this value, so that the log need not hold it twice.
func (l *learner) learn(s Slot, value Value, voted bool) {
	if s < l.known.base {
		return
	}
	k := l.known.grow(s)
	if k.chosen {
		if k.value != value {
			invariant.Failf("I-L1", "node %d slot %d: chosen as %v, now reported as %v", l.outbox.self, s, k.value, value)
		}
		return
	}
	*k = learned{value: value, chosen: true}
	if voted {
		l.settle(s)
	} else {
		l.outbox.record(Learned{Slot: s, Value: value})
	}
	l.handOut()
}

// settle records for the next Settled record that the vote at s has the chosen value; a run of
// slots becomes one record.
func (l *learner) settle(s Slot) {
	if s != l.toSettle.To {
		l.flushSettled()
		l.toSettle.From = s
	}
	l.toSettle.To = s + 1
}

// flushSettled writes the record of what settle collected. No message waits for that record.
func (l *learner) flushSettled() {
	if !l.toSettle.IsEmpty() {
		l.outbox.record(Settled{Slots: l.toSettle})
	}
	l.toSettle = Range{}
}

// handOut gives the state machine the slots that have become contiguous.
func (l *learner) handOut() {
	for k := l.known.get(l.firstOpen); k != nil && k.chosen; k = l.known.get(l.firstOpen) {
		l.toApply = append(l.toApply, Entry{Slot: l.firstOpen, Value: k.value})
		l.firstOpen++
	}
}

// isChosen reports whether s is known to be chosen.
func (l *learner) isChosen(s Slot) bool {
	if s < l.firstOpen {
		return true
	}
	k := l.known.get(s)
	return k != nil && k.chosen
}

// chosenValues returns the chosen values of r from its first slot on, up to the first
// unknown one, as many as fit into one page.
func (l *learner) chosenValues(r Range, limits pageLimits) []Value {
	var vs []Value
	size := 0
	for s := r.From; s < r.To; s++ {
		k := l.known.get(s)
		if k == nil || !k.chosen {
			break
		}
		size += len(k.value)
		if limits.isFull(len(vs), size) {
			break
		}
		vs = append(vs, k.value)
	}
	return vs
}

// restore takes back one record of an earlier life, after the acceptor did: a Settled
// refers to the votes before it.
func (l *learner) restore(r Record, votes *slotLog[vote]) {
	switch r := r.(type) {
	case Learned:
		l.relearn(r.Slot, r.Value)
	case Settled:
		for s := max(r.Slots.From, votes.base); s < r.Slots.To && s < votes.end(); s++ {
			if v := votes.get(s); !v.ballot.IsZero() && !v.lost {
				l.relearn(s, v.value)
			}
		}
	}
	l.handOut()
}

func (l *learner) relearn(s Slot, value Value) {
	if s < l.known.base {
		return
	}
	k := l.known.grow(s)
	if k.chosen && k.value != value {
		invariant.Failf("I-L1", "node %d slot %d: the disk says chosen as %v and as %v", l.outbox.self, s, k.value, value)
	}
	*k = learned{value: value, chosen: true}
}

// onApplied records that the state machine has applied the slots up to upto.
func (l *learner) onApplied(upto Slot) {
	if upto >= l.firstOpen || upto < l.applied {
		invariant.Failf("I-L2", "node %d: applied up to %d after %d, first open slot %d", l.outbox.self, upto, l.applied, l.firstOpen)
	}
	l.applied = upto
}
