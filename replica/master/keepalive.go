package master

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/master/session"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// leadershipProof is how this Master knows, without read authority, that it was master. A Confirm
// that was executed stood below any later epoch in the log, so no later epoch had begun anywhere
// when it was proposed. Leases granted because of it count from that instant.
type leadershipProof struct {
	known time.Time // up to here it was certainly master; zero: never
	asked bool      // a Confirm is under way
	since time.Time // when that Confirm was proposed
	// last says that the log was given a Confirm, and no command of the fair queue since.
	last bool
}

// keepAlive takes in a KeepAlive, which waits for its answer in the sessions.
func (m *Master) keepAlive(at At, from Addr, who api.Principal, q api.Request, op api.KeepAlive) {
	switch _, alive := m.sessions.Get(q.Session); {
	case !m.sessions.HasLeases():
		m.answerTo(from, q, api.Result{Code: api.Invalid})
		return
	case !alive: // and never will be: a client that names this epoch knows only sessions that these rows had
		m.answerTo(from, q, api.Result{Code: api.NoSession})
		return
	}
	if len(op.Tokens) > 0 { // most KeepAlives have none, and looking up the session is what costs
		m.present(at, q, op)
	}
	if m.sessions.AckEpoch(q.Session, op.AckedEpoch) {
		m.onEpochAcked(at, q.Session)
	}
	hasNews := false
	if m.ops != nil {
		m.ops.Ack(at, q.Session, q.AckedThrough)
		m.ops.AckEvents(at, q.Session, op.AckedEvents)
		m.collect(at)
		m.noteLate(q.Session)
		hasNews = m.ops.HasEvents(q.Session)
	}
	m.sessions.Park(q.Session, session.KeepAlive{From: uint64(from), ID: q.ID, Receipt: at.Now, Now: op.Now || hasNews})
	m.tend(at)
}

// tend does what is due for sessions by the instant up to which this replica is certainly master.
// If more is due, it asks the log for a proof.
func (m *Master) tend(at At) {
	if !m.hasEpoch() {
		return
	}
	known := m.proof.known
	if at.HasAuthority() {
		known = at.Now
	}
	for {
		task := m.sessions.Next(at.Now, known, m.isInUse)
		if task == nil {
			break
		}
		m.do(task)
	}
	if due := m.sessions.Due(); !due.IsZero() && !due.After(at.Now) {
		m.confirm(at)
	}
	m.measure(at)
	m.progress(at)
}

func (m *Master) do(task session.Task) {
	switch t := task.(type) {
	case session.Answer:
		m.count.KeepAlives++
		m.answerKeepAlive(t, api.Result{Code: api.OK, Detail: m.leased(t)})
	case session.Expiry:
		m.count.Expiries++
		m.propose(forExpiry, calls.Key{Session: t.Session}, command.Expire{Guard: m.guard, Session: t.Session})
	}
}

// leased returns the lease and the events for the answer to a KeepAlive. A client that has not
// acknowledged the epoch yet gets no events.
func (m *Master) leased(a session.Answer) api.Leased {
	l := api.Leased{Lease: a.Lease, Failover: a.Failover}
	if m.ops != nil && !a.Failover {
		l.Events, l.LastEvent = m.ops.TakeEvents(a.Session)
		m.noteLate(a.Session)
	}
	return l
}

// noteLate bounds the lease of a session that has a drop to acknowledge, see session.Table.Late.
func (m *Master) noteLate(s api.SessionID) {
	queued, told := m.ops.OldestDrop(s)
	m.sessions.Late(s, queued, told)
}

// answerKeepAlive answers a KeepAlive.
func (m *Master) answerKeepAlive(a session.Answer, r api.Result) {
	m.answer(calls.Destination{Addr: Addr(a.To.From), ID: a.To.ID}, a.Session, 0, r)
}

// isInUse reports whether a session has a call under way, or an open handle.
func (m *Master) isInUse(id api.SessionID) bool {
	return m.calls.IsAwaited(id) || m.ops != nil && m.ops.HasHandles(id)
}

// confirm asks the log whether this replica is still master, unless a Confirm is under way, the
// log is full, or a command of the fair queue goes first.
func (m *Master) confirm(at At) {
	if m.proof.asked || m.owed || m.yieldsTurn() {
		return
	}
	m.count.Confirms++
	m.proof.asked, m.proof.since, m.proof.last = true, at.Now, true
	m.propose(forProof, calls.Key{}, command.ConfirmLeadership{Guard: m.guard})
}

// yieldsTurn reports whether a command of the fair queue goes in front of the next Confirm. Without
// this rule, a log that takes one command at a time would take nothing but Confirms if KeepAlives
// arrive faster than it takes commands, since one of them is always due.
func (m *Master) yieldsTurn() bool { return m.proof.last && m.queue.Waiting() > 0 }

// onConfirmed takes in an applied Confirm. If it is of an earlier tenure, the rows have refused it.
func (m *Master) onConfirmed(c command.ConfirmLeadership, a command.Applied) {
	if m.hasEpoch() && c.Guard == m.guard && a.Verdict == command.Executed && m.proof.asked {
		m.proof.known, m.proof.asked = m.proof.since, false
	}
}

// measure proposes another longest lease if the sessions want one.
func (m *Master) measure(at At) {
	if d := m.sessions.Longest(at.Now); d > 0 && !m.owed {
		m.sessions.Asked(d)
		m.propose(forLongest, calls.Key{}, command.LongestLease{Guard: m.guard, Lease: d})
	}
}

// onMeasured tells the sessions the longest lease that the rows allow now.
func (m *Master) onMeasured(at At) {
	if m.hasEpoch() {
		m.sessions.SetLongest(rows.GetLongestLease(at.Rows))
	}
}

// onSessionEnded forgets a session, and answers its KeepAlive if one waits.
func (m *Master) onSessionEnded(id api.SessionID) {
	if k, waits := m.sessions.End(id); waits {
		m.answerKeepAlive(session.Answer{Session: id, To: k}, api.Result{Code: api.NoSession})
	}
}

// dueSession returns when something is due for a session. It returns zero if that needs a proof of
// leadership and there is nothing to do for the proof now: a Confirm is under way, the log is full, or
// another command goes first. No proof is needed with authority, even while a Confirm hangs behind a
// hole of the log, nor for what was due before the newest proof, as for a session that was idle and is
// used again. A full log does not keep a KeepAlive from its answer: sessions whose end it did not take
// are put aside (session.Table.Refused).
func (m *Master) dueSession(at At) time.Time {
	due := m.sessions.Due()
	if (m.proof.asked || m.owed || m.yieldsTurn()) && !at.HasAuthority() && due.After(m.proof.known) {
		return time.Time{}
	}
	return due
}
