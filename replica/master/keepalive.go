package master

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/master/session"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// evidence is what this Master knows of being master without read authority: a
// Confirm that was executed stood below any later epoch in the log, so when it
// was proposed no later epoch had begun anywhere. What is promised on the strength
// of it counts from that instant.
type evidence struct {
	known time.Time // master for certain up to here; zero: never
	asked bool      // a Confirm is under way
	since time.Time // when it was proposed
}

// keepAlive takes in a KeepAlive, which waits for its answer in the sessions.
func (m *Master) keepAlive(at At, from Addr, who api.Principal, q api.Request, op api.KeepAlive) {
	switch _, alive := m.sessions.Get(q.Session); {
	case !m.sessions.Leases():
		m.answerTo(from, q, api.Result{Code: api.Invalid})
		return
	case !alive: // and never will be: whoever names this epoch was told of sessions that these rows had
		m.answerTo(from, q, api.Result{Code: api.NoSession})
		return
	}
	if len(op.Tokens) > 0 { // most have none, and to look for a session is what costs
		m.present(at, q, who, op)
	}
	if m.sessions.Flush(q.Session, op.Flushed) {
		m.flushed(at, q.Session)
	}
	m.sessions.Park(q.Session, session.KeepAlive{From: uint64(from), ID: q.ID, Receipt: at.Now, Now: op.Now})
	m.tend(at)
}

// tend does what is due for sessions, as far as it is known that this replica is
// master, and asks the log where it is not.
func (m *Master) tend(at At) {
	if !m.rules() {
		return
	}
	known := m.evidence.known
	if at.HasAuthority() {
		known = at.Now
	}
	for {
		task := m.sessions.Next(at.Now, known, m.uses)
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
		m.keep(t, api.Result{Code: api.OK, Detail: api.Leased{Lease: t.Lease, Failover: t.Failover}})
	case session.Expiry:
		m.count.Expiries++
		m.propose(forExpiry, calls.Key{Session: t.Session}, command.Expire{Guard: m.guard, Session: t.Session})
	}
}

// keep answers a KeepAlive.
func (m *Master) keep(a session.Answer, r api.Result) {
	m.answer(calls.Destination{Addr: Addr(a.To.From), ID: a.To.ID}, a.Session, 0, r)
}

// uses says whether a session has an open handle.
func (m *Master) uses(id api.SessionID) bool { return m.ops != nil && m.ops.Uses(id) }

// confirm asks the log whether this replica is still master, unless it is asked
// already.
func (m *Master) confirm(at At) {
	if m.evidence.asked || m.owed {
		return
	}
	m.count.Confirms++
	m.evidence.asked, m.evidence.since = true, at.Now
	m.propose(forEvidence, calls.Key{}, command.Confirm{Guard: m.guard})
}

// confirmed takes in the log's answer. One of an earlier tenure was refused.
func (m *Master) confirmed(c command.Confirm, a command.Applied) {
	if m.rules() && c.Guard == m.guard && a.Verdict == command.Executed && m.evidence.asked {
		m.evidence.known, m.evidence.asked = m.evidence.since, false
	}
}

// measure proposes another longest lease, where one is wanted.
func (m *Master) measure(at At) {
	if d := m.sessions.Longest(at.Now); d > 0 && !m.owed {
		m.sessions.Asked(d)
		m.propose(forLongest, calls.Key{}, command.LongestLease{Guard: m.guard, Lease: d})
	}
}

// measured tells the sessions what the rows say now.
func (m *Master) measured(at At) {
	if m.rules() {
		m.sessions.SetLongest(rows.GetLongestLease(at.Rows))
	}
}

// ended forgets a session, and tells its client, if it asks.
func (m *Master) ended(id api.SessionID) {
	if k, waits := m.sessions.End(id); waits {
		m.keep(session.Answer{Session: id, To: k}, api.Result{Code: api.NoSession})
	}
}

// dueSession is when something is due for a session; zero where that takes
// evidence, which the log is asked for, or has no room to be. A Confirm may be asked
// for and hang behind a hole while authority has come back: then what is due waits for
// nothing. Nor does what fell due before the newest evidence, and was not asked about
// until now, as for a session that was idle and is used again. Nor does a full log keep
// a KeepAlive from its answer: sessions whose end it did not take are put aside.
func (m *Master) dueSession(at At) time.Time {
	due := m.sessions.Due()
	if (m.evidence.asked || m.owed) && !at.HasAuthority() && due.After(m.evidence.known) {
		return time.Time{}
	}
	return due
}
