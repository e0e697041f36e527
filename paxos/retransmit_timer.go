package paxos

import "time"

// patience is how long a leader waits for votes before it sends an Accept
// again. A fixed wait below the time that acceptors need would make each of them
// answer every Accept many times over, and where that costs them disk or
// network, need longer still: a cell can be slowed down for good that way. So the
// wait follows what answers took, and what had to be sent again raises the wait
// of all that comes after it, as TCP's timer does (RFC 6298, Karn's rule).
type retransmitTimer struct {
	min   time.Duration // Config.Retransmit
	first time.Duration // before the first repetition of a new proposal
}

// The longest waits, in units of the least: between repetitions while answers
// come fast, and at all.
const (
	maxWaitFast = 16
	maxWaitSlow = 64
)

func newRetransmitTimer(min time.Duration) retransmitTimer {
	return retransmitTimer{min: min, first: min}
}

// next is the wait after one of w that nothing answered.
func (p *retransmitTimer) backoff(w time.Duration) time.Duration {
	return min(2*w, max(maxWaitFast*p.min, 2*p.first), maxWaitSlow*p.min)
}

// answered learns from a proposal that was never repeated how long votes take;
// the wait moves towards twice that, by an eighth of the way each time.
func (p *retransmitTimer) onAnswered(took time.Duration) {
	p.first = min(max(p.first+(2*took-p.first)/8, p.min), maxWaitSlow*p.min)
}

// repeated learns that a proposal was chosen after a repetition. Which of them
// the votes answer cannot be told, so nothing is measured; the wait that
// sufficed is where the next proposal starts.
func (p *retransmitTimer) onRepeated(w time.Duration) {
	p.first = max(p.first, min(w, maxWaitSlow*p.min))
}
