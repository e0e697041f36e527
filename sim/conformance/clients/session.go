package clients

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// sessionModel holds what a client may assume about its session. It is computed by the
// client's clock from the requests that the client sent and the replies that reached it,
// never from what the client reports. Its bound is never below the client's own: the client
// may have dropped a reply that counts here.
type sessionModel struct {
	rho   int64 // parts per million, as the client is configured
	grace time.Duration

	nonce       api.Nonce
	first, last uint64 // request ids of the present session; replies to other ids are ignored
	session     api.SessionID
	opened      time.Time
	openEpoch   api.Epoch            // highest epoch that a reply had named when the session was opened
	sessions    uint64               // sessions requested so far
	epoch       api.Epoch            // highest epoch that a reply has named
	keepAlives  map[uint64]time.Time // request id -> when the KeepAlive was sent
	bound       time.Time            // the session is alive before this instant, if a master keeps its lease
	graceEnd    time.Time            // the client must have given the session up by now, where leases are used
	boundEpoch  api.Epoch            // epoch of the reply that moved bound last
	boundBy     uint64               // id of the KeepAlive that this reply answers
	isNewLease  bool                 // this reply granted a new lease; false: it repeated how long the old one runs
	decided     grant                // the KeepAlive and the reply that moved bound last
	hasNoLeases bool                 // the present master grants no leases
	isGone      bool                 // a reply said that there is no such session
	notBefore   time.Time            // earliest expiry by the bound that the client reported last
	calls       callModel
	presented   presentation
}

// onSend records request q, which the client sends when its clock reads now, and checks that
// the client may send it.
func (m *sessionModel) onSend(now time.Time, q api.Request) breach {
	op := q.Op
	if o, opens := op.(api.OpenSession); opens && m.nonce != o.Nonce {
		if f := m.checkRenewal(now); f != (breach{}) {
			return f
		}
		*m = sessionModel{rho: m.rho, grace: m.grace, sessions: m.sessions + 1, nonce: o.Nonce, first: q.ID, keepAlives: map[uint64]time.Time{}, calls: m.calls.next()}
	}
	m.last = max(m.last, q.ID)
	switch late := !now.Before(m.graceEnd); {
	case m.isGone:
		return breachf("S11", "sends %T after a reply said that its session is gone", op)
	case late && m.session != 0 && !m.hasNoLeases:
		return breachf("L1", "sends %T %[2]v after the end of its grace period", op, now.Sub(m.graceEnd))
	}
	switch op := op.(type) {
	case api.OpenSession:
	case api.KeepAlive:
		m.keepAlives[q.ID] = now
		if f := m.presented.onKeepAlive(q.ID, q.Epoch, op); f != (breach{}) {
			return f
		}
	case api.EndSession:
	default:
		if !m.hasNoLeases && !now.Before(m.bound) {
			return breachf("S11", "sends %T %[2]v after its lease may have ended", op, now.Sub(m.bound))
		}
	}
	if _, opens := op.(api.OpenSession); !opens && q.Session != m.session {
		return breachf("S11", "sends %T for session %d, but its own is %d", op, q.Session, m.session)
	}
	return m.calls.onSend(q)
}

// earliestExpiry returns the earliest instant at which the client may take its session for
// expired without a reply that says so.
func (m *sessionModel) earliestExpiry() time.Time {
	if end := m.opened.Add(m.grace); end.After(m.notBefore) {
		return end
	}
	return m.notBefore
}

// checkRenewal: the client requests another session only when the last one is over and
// nothing was lost with it.
func (m *sessionModel) checkRenewal(now time.Time) breach {
	over := m.isGone || !now.Before(m.earliestExpiry())
	switch what := m.calls.lostWithSession(); {
	case m.nonce == (api.Nonce{}):
	case !over:
		return breachf("S11", "requests another session while its own is alive")
	case what != "":
		return breachf("S11", "requests another session although it lost %s with the last one", what)
	}
	return breach{}
}

// onReply records a reply that reaches the client when its clock reads now.
func (m *sessionModel) onReply(now time.Time, p api.Reply) {
	if m.first == 0 || p.ID < m.first || p.ID > m.last {
		return
	}
	m.epoch = max(m.epoch, p.Epoch)
	switch {
	case p.Session == 0 && p.Seq == 0:
		m.onOpenReply(now, p)
	case p.Session != m.session || m.session == 0:
	case p.Code == api.NoSession:
		m.isGone = true
	case p.Seq == 0:
		m.onKeepAliveReply(now, p)
	case p.Epoch == m.epoch: // the client ignores replies of a former master
		m.calls.onReply(p)
	}
}

// isFromFormerMaster reports that p decides a call and was sent by a former master. It was
// right then, but the present master may know more, so the client must ask that one (S9).
func (m *sessionModel) isFromFormerMaster(p api.Reply) bool {
	return p.Session == m.session && p.Seq != 0 && p.Epoch < m.epoch && p.Code.IsDefinite() && p.Code != api.NoSession
}

func (m *sessionModel) onOpenReply(now time.Time, p api.Reply) {
	switch {
	case m.session != 0:
	case p.Code == api.OK && p.Result.Session != 0:
		m.session, m.openEpoch, m.opened, m.graceEnd = p.Result.Session, m.epoch, now, now.Add(m.grace)
	case p.Code == api.NoSession, p.Code == api.Stale:
		m.isGone = true
	}
}

func (m *sessionModel) onKeepAliveReply(now time.Time, p api.Reply) {
	if p.Code == api.Invalid && p.Epoch == m.epoch {
		m.hasNoLeases = true
	}
	l, hasLease := p.Detail.(api.Leased)
	if hasLease && l.Failover && p.Epoch == m.epoch {
		m.presented.onFailover(p.Epoch, &m.calls)
	}
	at, isKnown := m.keepAlives[p.ID]
	if p.Code == api.OK && hasLease {
		m.presented.onKeepAliveReplied(p.ID, p.Epoch)
	}
	if p.Code != api.OK || !hasLease || !isKnown || !m.hasNoLeases && !now.Before(m.graceEnd) {
		return
	}
	if to := at.Add(m.term(min(l.Lease, api.MaxLease))); to.After(m.bound) {
		m.bound, m.boundEpoch, m.boundBy, m.isNewLease = to, p.Epoch, p.ID, !l.Failover
		m.decided = grant{at, now, l.Lease}
	}
	if now.Before(m.bound) { // else the reply is too late: it does not restart the grace period (C11.17)
		m.hasNoLeases, m.graceEnd = false, m.bound.Add(m.grace)
	}
}

// grant is a lease that a client was told.
type grant struct {
	sent, replied time.Time // the KeepAlive left, and its reply came
	lease         time.Duration
}

// overrun tells how a client that relies on its session until then differs from what its leases allow. It gives
// the terms of the reckoning, for the reader to see which one the client took.
func (m *sessionModel) overrun(now, until time.Time) string {
	text := fmt.Sprintf("relies on its session for %v from now, %v longer than its leases allow: ", until.Sub(now), until.Sub(m.bound))
	if m.decided == (grant{}) {
		return text + "no KeepAlive was answered with a lease"
	}
	return text + fmt.Sprintf("its KeepAlive left %v ago and was answered %v ago with a lease of %v; a lease counts from the sending, and less the error of clocks, %d ppm at each side",
		now.Sub(m.decided.sent), now.Sub(m.decided.replied), m.decided.lease, m.rho)
}

// term returns how long a client may rely on a lease of d: d(1-rho)/(1+rho) (C11.23).
func (m *sessionModel) term(d time.Duration) time.Duration {
	return d * time.Duration(1_000_000-m.rho) / time.Duration(1_000_000+m.rho)
}
