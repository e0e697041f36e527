package paxos

import "time"

// patience is how long a leader waits for votes before it sends an Accept
// again. A fixed wait below the time that acceptors need would make each of them
// answer every Accept many times over, and where that costs them disk or
// network, need longer still: a cell can be slowed down for good that way. So the
// wait follows what answers took, and what had to be sent again raises the wait
// of all that comes after it, as TCP's timer does (RFC 6298, Karn's rule).
type patience struct {
	least time.Duration // Config.Retransmit
	wait  time.Duration // before the first repetition of a new proposal
}

// The longest waits, in units of the least: between repetitions while answers
// come fast, and at all.
const (
	patienceSilent = 16
	patienceMost   = 64
)

func newPatience(least time.Duration) patience { return patience{least: least, wait: least} }

// next is the wait after one of w that nothing answered.
func (p *patience) next(w time.Duration) time.Duration {
	return min(2*w, max(patienceSilent*p.least, 2*p.wait), patienceMost*p.least)
}

// answered learns from a proposal that was never repeated how long votes take;
// the wait moves towards twice that, by an eighth of the way each time.
func (p *patience) answered(took time.Duration) {
	p.wait = min(max(p.wait+(2*took-p.wait)/8, p.least), patienceMost*p.least)
}

// repeated learns that a proposal was chosen after a repetition. Which of them
// the votes answer cannot be told, so nothing is measured; the wait that
// sufficed is where the next proposal starts.
func (p *patience) repeated(w time.Duration) {
	p.wait = max(p.wait, min(w, patienceMost*p.least))
}
