package master

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
)

// Request takes in one copy of a request of a principal, already decoded. It is
// answered at once, or when its command was applied, or when the tenure ends; a
// KeepAlive also when its time has come.
func (m *Master) Request(at At, from Addr, who api.Principal, q api.Request) {
	m.count.Requests++
	code := m.admits(who, q)
	keep, keeps := q.Op.(api.KeepAlive)
	if code == api.OK && !keeps {
		m.passes(at, who, q)
	}
	switch {
	case code != api.OK:
		m.refuse(from, q, code)
	case keeps:
		m.keepAlive(at, from, who, q, keep)
	case onNodes(q.Op):
		m.ask(at, from, who, q)
	default:
		m.seen(at, q)
		if command.Reads(q.Op) && m.alone(at, q) {
			m.read(at, from, q)
			return
		}
		m.enter(at, from, who, q)
	}
}

// alone says that a call which only reads can be answered from the rows: they are the
// present ones, and of the calls that its client has given up none can be executed
// behind the answer.
func (m *Master) alone(at At, q api.Request) bool {
	return at.authority() && (m.ops == nil || m.ops.Settled(q.Session, q.Seen))
}

// admits says OK to a request that this Master may work on, or with which code it
// is refused. One that names an older epoch is a packet to a former master, or its
// sender has not heard of this one; who names a newer one has heard of another
// (C12.04).
func (m *Master) admits(who api.Principal, q api.Request) api.Code {
	_, opens := q.Op.(api.OpenSession)
	switch code := q.Check(); {
	case code != api.OK:
		return code
	case !m.rules(), q.Epoch > m.guard:
		return api.NotMaster
	case q.Epoch < m.guard && !opens:
		return api.OldEpoch
	case !m.takes(q.Op):
		return api.Recovering
	case opens && who.Check() != api.OK:
		return api.Invalid
	case opens:
		return api.OK
	}
	return m.owns(who, q.Session)
}

// owns says whether a session is alive, and that of who asks. One that is not
// remembered never comes to life again: whoever names this epoch was told of
// sessions that stood in these rows. And who names one that is yet to be opened has
// guessed its number: the log, which knows no principals but of sessions, would
// execute his call behind its opening.
func (m *Master) owns(who api.Principal, id api.SessionID) api.Code {
	switch s, alive := m.sessions.Get(id); {
	case !alive:
		return api.NoSession
	case s.Principal != who:
		return api.Permission
	}
	return api.OK
}

// seen tells the desk what a request says about others that it may know.
func (m *Master) seen(at At, q api.Request) {
	if _, alive := m.sessions.Get(q.Session); alive && m.ops != nil {
		m.ops.Seen(nodeAt(at), q.Session, q.Seen)
		m.collect(at)
	}
}

// refuse answers a request that this Master does not work on. To one of a later
// epoch than it knows it is no master, whatever it takes itself for.
func (m *Master) refuse(from Addr, q api.Request, code api.Code) {
	m.answer(waiter(from, q), api.Result{Code: code})
	if p := &m.out.Replies[len(m.out.Replies)-1]; q.Epoch > m.epoch && p.Master == m.cfg.ID {
		p.Master = 0
	}
}

// enter gives a request a place among the pending ones, and its command to the
// log, unless a copy waits already; as a call on a node, perhaps, if its client
// numbers as nobody may.
func (m *Master) enter(at At, from Addr, who api.Principal, q api.Request) {
	k := keyOf(who, q.Session, q.Seq, q.Op)
	_, waits := m.pending[k]
	_, asked := m.asked[k]
	switch {
	case asked:
		m.count.Merged++
		m.asked[k] = waiter(from, q)
	case waits:
		m.count.Merged++
		m.pending[k] = waiter(from, q)
	case m.passed(q):
		m.answer(waiter(from, q), api.Result{Code: api.Stale})
	case m.busy(who):
		m.answer(waiter(from, q), at.noPlace())
	default:
		m.count.Proposed++
		m.pending[k] = waiter(from, q)
		m.sessions.Began(at.Now, q.Session)
		if m.ops != nil && q.Session != 0 {
			m.ops.Entered(q.Session, q.Seq)
		}
		m.join(who, Proposal{Command: command.Append(nil, m.command(who, q)), what: forRequest, key: k})
	}
}

// leave takes a request out of the pending ones.
func (m *Master) leave(at At, k key) {
	delete(m.pending, k)
	if m.sessions != nil {
		m.sessions.Ended(at.Now, k.session)
	}
	if m.ops != nil {
		m.ops.Left(k.session, k.seq)
	}
}

// passed says that the client of a call has said that it waits for it no more. It may
// have been told since what there is without it.
func (m *Master) passed(q api.Request) bool {
	return m.ops != nil && q.Session != 0 && q.Seq <= m.ops.SeenBy(q.Session)
}

// command is what a request becomes; a session is its opener's.
func (m *Master) command(who api.Principal, q api.Request) command.Call {
	c := command.Call{Guard: m.guard, Session: q.Session, Seq: q.Seq, Seen: q.Seen, Op: q.Op}
	if _, opens := q.Op.(api.OpenSession); opens {
		c.Principal = who
	}
	return c
}

// applied answers who waits for the call. A copy with an older guard that was
// refused says nothing about the copy of this tenure.
func (m *Master) applied(at At, c command.Call, a command.Applied) {
	if a.Verdict == command.Refused && c.Guard != m.guard {
		return
	}
	k := keyOf(c.Principal, c.Session, c.Seq, c.Op)
	if p, waits := m.pending[k]; waits {
		m.leave(at, k)
		m.answer(p, a.Result)
	}
}
