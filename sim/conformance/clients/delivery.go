package clients

import (
	"time"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// delivery holds when replies could be handed to the programs that wait for them (L1): at
// once where the session's lease runs or there are no leases; otherwise at the end of
// jeopardy, which releases all replies that came meanwhile (C11.18). Instants are of true
// time.
type delivery struct {
	due     map[call]time.Duration
	pending []call // have a reply that came in jeopardy
}

// call names a call by its session and number.
type call struct {
	session api.SessionID
	seq     api.Seq
}

func newDelivery() delivery { return delivery{due: map[call]time.Duration{}} }

// canDeliver reports that a client with status s may hand replies to programs.
func canDeliver(s session.Status) bool {
	return s.State == session.Open && (s.Lease == session.Valid || s.Lease == session.NoLease)
}

// onReply records that the reply to op reached a client with status s. An inconclusive reply
// need not be handed over.
func (t *delivery) onReply(at time.Duration, asked api.Op, p api.Reply, s session.Status) {
	if isInconclusive(asked, p) {
		return
	}
	t.pending = append(t.pending, call{p.Session, p.Seq})
	t.onStatus(at, s)
}

// onStatus records the client's status.
func (t *delivery) onStatus(at time.Duration, s session.Status) {
	if !canDeliver(s) {
		return
	}
	for _, k := range t.pending {
		if _, known := t.due[k]; !known {
			t.due[k] = at
		}
	}
	t.pending = nil
}

// onCallEnd checks the instant at which a program learns the outcome of call k.
func (t *delivery) onCallEnd(at time.Duration, k call) breach {
	due, answered := t.due[k]
	delete(t.due, k)
	if answered && at > due {
		return breachf("L1", "ends call %d of session %d %v after it could", k.seq, k.session, at-due)
	}
	return breach{}
}
