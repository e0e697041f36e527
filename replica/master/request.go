package master

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/state/command"
)

// Request takes in one copy of a request, already decoded, of a principal that the transport has
// authenticated. It is answered at once, or when its command is applied, or when the tenure ends. A
// KeepAlive is held until it is due (session.Table.Park).
func (m *Master) Request(at At, from Addr, who api.Principal, q api.Request) {
	m.count.Requests++
	code := m.admit(who, q)
	keep, keeps := q.Op.(api.KeepAlive)
	if code == api.OK { // for a KeepAlive too: it acknowledges calls here, so the next call finds no news
		m.dropGivenUp(at, who, q)
	}
	switch {
	case code != api.OK:
		m.refuse(at, from, q, code)
	case keeps:
		m.keepAlive(at, from, who, q, keep)
	case isOnNode(q.Op):
		m.ask(at, from, who, q)
	default:
		m.ack(at, q)
		if command.IsRead(q.Op) && m.calls.CanAnswerNow(at, q.Session, q.AckedThrough) {
			m.read(at, from, q)
			return
		}
		m.enter(at, from, who, q)
	}
}

// admit returns OK for a request that this Master may work on, or else the code of its refusal. A
// request that names an older epoch was sent to a former master, or its client has not heard of this
// one. The client of a request that names a newer epoch has heard of another master (C12.04).
func (m *Master) admit(who api.Principal, q api.Request) api.Code {
	_, opens := q.Op.(api.OpenSession)
	switch code := q.Check(); {
	case code != api.OK:
		return code
	case !m.hasEpoch(), q.Epoch > m.guard:
		return api.NotMaster
	case q.Epoch < m.guard && !opens:
		return api.OldEpoch
	case !m.canTake(q.Op):
		return api.Recovering
	case opens && who.Check() != api.OK:
		return api.Invalid
	case opens:
		return api.OK
	}
	return m.checkOwner(who, q.Session)
}

// checkOwner returns OK if a session is alive and belongs to this principal. A session that is not
// remembered will never be alive: a client that names this epoch knows only sessions that stood in
// these rows. A client that names a session not yet opened has guessed its number. Its call must not
// go into the log, which does not know the principal of a call and would execute it after the opening
// of that session.
func (m *Master) checkOwner(who api.Principal, id api.SessionID) api.Code {
	switch s, alive := m.sessions.Get(id); {
	case !alive:
		return api.NoSession
	case s.Principal != who:
		return api.Permission
	}
	return api.OK
}

// ack notes the calls that the client has acknowledged with this request.
func (m *Master) ack(at At, q api.Request) {
	if _, alive := m.sessions.Get(q.Session); alive && m.ops != nil {
		m.ops.Ack(at, q.Session, q.AckedThrough)
		m.collect(at)
	}
}

// refuse answers a request that this Master does not work on. If the request names a later epoch,
// the answer does not name this replica as the master: it is deposed and does not know it yet.
func (m *Master) refuse(at At, from Addr, q api.Request, code api.Code) {
	m.answerTo(from, q, api.Result{Code: code})
	if p := &m.out.Replies[len(m.out.Replies)-1]; q.Epoch > m.epoch && p.Master == m.cfg.ID {
		p.Master = 0
	}
	if code == api.NotMaster {
		m.seekers.note(at.Now, from, q)
	}
}

// enter makes the entry of a call on a row, and puts its command into the queue in front of the log.
// A request with the number of a call under way is a duplicate of that call, whatever it asks for.
func (m *Master) enter(at At, from Addr, who api.Principal, q api.Request) {
	k := calls.KeyOf(who, q.Session, q.Seq, q.Op)
	c := m.calls.Get(k)
	switch {
	case c != nil && (c.Awaited || c.State == calls.Logged):
		m.count.Merged++
		m.await(at, k, destination(from, q))
	case m.hasAcked(q):
		m.answerTo(from, q, api.Result{Code: api.Stale})
	case m.isBusy(who):
		m.answerTo(from, q, noPlaceResult(at))
	default:
		m.count.Proposed++
		m.calls.Log(m.await(at, k, destination(from, q)))
		m.join(who, Proposal{Command: command.Append(nil, m.command(who, q)), what: forRequest, key: k})
	}
}

// await notes which duplicate of a call gets the answer.
func (m *Master) await(at At, k calls.Key, to calls.Destination) *calls.Call {
	if c := m.calls.Get(k); c == nil || !c.Awaited {
		m.sessions.Used(at.Now, k.Session)
	}
	return m.calls.Await(k, to)
}

// leave answers a call on a row. If its command of this tenure is still on the way, as when an older
// duplicate was executed, the entry stays until that command is applied.
func (m *Master) leave(at At, c *calls.Call, r api.Result) {
	to, waits := m.calls.Reply(c, true)
	if c.Place == calls.Nowhere {
		m.calls.Decide(c)
	}
	if !waits {
		return
	}
	if m.sessions != nil {
		m.sessions.Used(at.Now, c.Session)
	}
	m.answer(to, c.Session, c.Seq, r)
}

// hasAcked reports whether the client has acknowledged this call. Later answers may already have told
// it that the call has no effect.
func (m *Master) hasAcked(q api.Request) bool {
	return q.Session != 0 && q.Seq <= m.calls.Acked(q.Session)
}

// command makes the command of a request. Only one that opens a session names its principal.
func (m *Master) command(who api.Principal, q api.Request) command.Call {
	c := command.Call{Guard: m.guard, Session: q.Session, Seq: q.Seq, AckedThrough: q.AckedThrough, Op: q.Op}
	if _, opens := q.Op.(api.OpenSession); opens {
		c.Principal = who
	}
	return c
}

// onCallApplied answers a call on a row. A command with an older guard that was refused says nothing
// about the command of the same call in this tenure.
func (m *Master) onCallApplied(at At, c command.Call, a command.Applied) {
	if a.Verdict == command.Refused && c.Guard != m.guard {
		return
	}
	if entry := m.calls.Get(calls.KeyOf(c.Principal, c.Session, c.Seq, c.Op)); entry != nil && entry.State == calls.Logged {
		m.leave(at, entry, a.Result)
	}
}

func destination(from Addr, q api.Request) calls.Destination {
	return calls.Destination{Addr: from, ID: q.ID}
}

// answerTo answers one duplicate of a request at once.
func (m *Master) answerTo(from Addr, q api.Request, r api.Result) {
	m.answer(destination(from, q), q.Session, q.Seq, r)
}
