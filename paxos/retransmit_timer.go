package paxos

import "time"

// retransmitTimer computes how long a leader waits for votes before it sends an Accept
// again. With a fixed wait, shorter than acceptors need, each of them would answer every
// Accept many times over; where that costs them disk or network they would need longer
// still, and the cell could stay slow for good. So the wait follows the time that votes
// took, and each retransmission raises the wait of all later proposals, as TCP's timer
// does (RFC 6298, Karn's algorithm).
type retransmitTimer struct {
	min   time.Duration // Config.Retransmit
	first time.Duration // before the first repetition of a new proposal
}

// The longest waits, in units of Config.Retransmit: between repetitions while votes come
// fast, and in any case.
const (
	maxWaitFast = 16
	maxWaitSlow = 64
)

func newRetransmitTimer(min time.Duration) retransmitTimer {
	return retransmitTimer{min: min, first: min}
}

// backoff is the wait that follows a wait of w without a quorum of votes.
func (p *retransmitTimer) backoff(w time.Duration) time.Duration {
	return min(2*w, max(maxWaitFast*p.min, 2*p.first), maxWaitSlow*p.min)
}

// onAnswered learns from a proposal that was chosen without a repetition how long votes
// take; the first wait moves an eighth of the way towards twice that.
func (p *retransmitTimer) onAnswered(took time.Duration) {
	p.first = min(max(p.first+(2*took-p.first)/8, p.min), maxWaitSlow*p.min)
}

// onRepeated learns that a proposal was chosen after a repetition, with a last wait of
// w. Since it is unknown which copy of the Accept the votes answer, nothing is measured;
// the next proposal starts with the wait that sufficed.
func (p *retransmitTimer) onRepeated(w time.Duration) {
	p.first = max(p.first, min(w, maxWaitSlow*p.min))
}
