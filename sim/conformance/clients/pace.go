package clients

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// pace is how often a client sends one and the same request (L1): where it is refused, or
// not answered, it waits before it tries again, longer each time, but for a hint or two
// and the word of a new master. One that does not wait gets its answer all the same, and
// keeps a master busy that has no time. Instants are the client's.
type pace [64]paced // by number; two that share a place are not counted, which is rare

// paced is a request, and how often it was sent from an instant on.
type paced struct {
	of    call
	since time.Time
	n     int
}

// A request leaves at most so often in paceTime. The shortest pauses of a client are of
// 10, 20 and 40 ms: five sendings, each with two hints behind it.
const (
	paceTime = 100 * time.Millisecond
	paceMost = 30
)

// sends is told of a request that leaves now.
func (t *pace) sends(now time.Time, q api.Request) fault {
	p, of := &t[q.Seq%api.Seq(len(t))], call{q.Session, q.Seq}
	if p.of != of || now.Sub(p.since) > paceTime {
		*p = paced{of: of, since: now}
	}
	if p.n++; p.n > paceMost {
		return faultf("L1", "sends request %d of session %d %d times within %v", q.Seq, q.Session, p.n, now.Sub(p.since))
	}
	return fault{}
}
