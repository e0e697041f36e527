package paxos

import "time"

// retransmitTimer computes how long a leader waits for votes before it resends an Accept. With a
// fixed wait, shorter than acceptors need, each of them would answer every Accept many times over.
// If that costs them disk or network, they would need longer still, and the cell could stay slow
// for good. The wait therefore follows the time that votes took, and each retransmission raises the
// wait of all later proposals, as TCP's timer does (RFC 6298, Karn's algorithm).
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

// backoff returns the wait that follows a wait of w without a quorum of votes.
func (t *retransmitTimer) backoff(w time.Duration) time.Duration {
	return min(2*w, max(maxWaitFast*t.min, 2*t.first), maxWaitSlow*t.min)
}

// onAnswered learns how long votes take from a proposal that was chosen without a repetition; the
// first wait moves an eighth of the way towards twice that time.
func (t *retransmitTimer) onAnswered(took time.Duration) {
	t.first = min(max(t.first+(2*took-t.first)/8, t.min), maxWaitSlow*t.min)
}

// onRepeated learns that a proposal was chosen after a repetition, with a last wait of
// w. Since it is unknown which copy of the Accept the votes answer, nothing is measured;
// the next proposal starts with the wait that sufficed.
func (t *retransmitTimer) onRepeated(w time.Duration) {
	t.first = max(t.first, min(w, maxWaitSlow*t.min))
}
