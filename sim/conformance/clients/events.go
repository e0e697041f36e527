package clients

import (
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// eventModel holds what a program knows of a client's session if it reads nothing but events.
// Each event must report a change, and each change must be reported at the instant at which
// it happens (S11).
type eventModel struct {
	nth          uint64 // which session of the client, from 1
	toldJeopardy bool
	toldExpired  bool
	toldEpoch    api.Epoch // of the last EventFailover

	lastState  session.State // of the previous status
	isEnding   bool          // the client has sent EndSession: no more events are required
	wrongSince time.Duration // true time since which events and status differ; below 0: they agree
}

func newEventModel() eventModel { return eventModel{nth: 1, wrongSince: -1} }

// followRenewal moves on to the client's next session, if there is one and the end of the
// last was reported.
func (m *eventModel) followRenewal(a *sessionModel) {
	if m.toldExpired && m.nth < a.sessions {
		*m = eventModel{nth: m.nth + 1, wrongSince: -1}
	}
}

// onEvent checks the next event of a client whose session is modelled by a.
func (m *eventModel) onEvent(e client.Event, a *sessionModel) breach {
	m.followRenewal(a)
	m.wrongSince = -1
	switch {
	case m.toldExpired:
		return breachf("S11", "reports %v after EventExpired", e.Kind)
	case e.Missed > 0:
		return breachf("S11", "has dropped %d events, although each was read at once", e.Missed)
	case e.Kind == client.EventJeopardy && m.toldJeopardy, e.Kind == client.EventSafe && !m.toldJeopardy:
		return breachf("S11", "reports %v, but its earlier events say the same", e.Kind)
	case e.Kind == client.EventFailover && e.Epoch <= m.toldEpoch:
		return breachf("S11", "reports a fail-over to epoch %d after one to epoch %d", e.Epoch, m.toldEpoch)
	case e.Kind == client.EventFailover && e.Epoch > a.epoch:
		return breachf("S11", "reports a fail-over to epoch %d, but no reply has named one above %d", e.Epoch, a.epoch)
	}
	switch e.Kind {
	case client.EventJeopardy:
		m.toldJeopardy = true
	case client.EventSafe:
		m.toldJeopardy = false
	case client.EventExpired:
		m.toldExpired = true
	case client.EventFailover:
		m.toldEpoch = e.Epoch
	}
	return breach{}
}

// onStatus compares events and status at an instant of true time. The client may report a
// change until the instant is over, not later.
func (m *eventModel) onStatus(at time.Duration, s session.Status, a *sessionModel) breach {
	m.followRenewal(a)
	was := m.lastState
	m.lastState = s.State
	same := true
	switch {
	case m.nth != a.sessions || m.isEnding:
	case s.State == session.Open:
		same = m.toldJeopardy == (s.Lease == session.Jeopardy)
	case s.State == session.Over && s.Why == session.Expired:
		same = m.toldExpired || was != session.Open && was != session.Over
	}
	switch {
	case same:
		m.wrongSince = -1
	case m.wrongSince < 0:
		m.wrongSince = at
	case m.wrongSince < at:
		return breachf("S11", "is %v with lease %v for %v, and its events say otherwise", s.State, s.Lease, at-m.wrongSince)
	}
	return breach{}
}

// onReply: a new master answers no call of a session before its client acknowledges the
// epoch, so the client's program must have had an EventFailover.
func (m *eventModel) onReply(p api.Reply, a *sessionModel) breach {
	if m.nth != a.sessions || p.Session != a.session || p.Seq == 0 || p.Epoch != a.epoch || !p.Code.IsDefinite() ||
		p.Code == api.NoSession || a.hasNoLeases || a.openEpoch >= p.Epoch || m.toldEpoch >= p.Epoch || m.isEnding {
		return breach{}
	}
	return breachf("S11", "has the reply to call %d of the master of epoch %d, but has reported no fail-over after epoch %d", p.Seq, p.Epoch, max(m.toldEpoch, a.openEpoch))
}
