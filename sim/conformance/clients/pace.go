package clients

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// pace counts how often a client sends one request (L1). A client that is refused, or has no
// reply, waits before it sends again, longer each time; it sends at once only for a hint or a
// new master. A client that does not wait gets its reply all the same, and keeps an
// overloaded master busy. Instants are by the client's clock.
type pace [64]sendRate // by call number; calls that share a place are not counted, which is rare

// sendRate is how often a request was sent since an instant.
type sendRate struct {
	of    call
	acked api.EventNumber // a KeepAlive that acknowledges more is another request
	since time.Time
	n     int
}

// A request is sent at most paceLimit times in paceWindow. The shortest pauses of a client
// are 10, 20 and 40 ms (session.Config.RetryMin with its jitter, doubled): five attempts,
// each with two hints behind it, leave a wide margin.
const (
	paceWindow = 100 * time.Millisecond
	paceLimit  = 30
)

// onSend counts a request that leaves now.
func (t *pace) onSend(now time.Time, q api.Request) breach {
	p, of := &t[q.Seq%api.Seq(len(t))], call{q.Session, q.Seq}
	k, _ := q.Op.(api.KeepAlive)
	if p.of != of || p.acked != k.AckedEvents || now.Sub(p.since) > paceWindow {
		*p = sendRate{of: of, acked: k.AckedEvents, since: now}
	}
	if p.n++; p.n > paceLimit {
		return breachf("L1", "sends call %d of session %d %d times within %v", q.Seq, q.Session, p.n, now.Sub(p.since))
	}
	return breach{}
}
