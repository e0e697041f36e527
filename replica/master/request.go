package master

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/state/command"
)

// Request takes in one duplicate of a request of a principal, already decoded. It is
// answered at once, or when its command was applied, or when the tenure ends; a
// KeepAlive also when its time has come.
func (m *Master) Request(at At, from Addr, who api.Principal, q api.Request) {
	m.count.Requests++
	code := m.admit(who, q)
	keep, keeps := q.Op.(api.KeepAlive)
	if code == api.OK { // of a KeepAlive, too: what it says is no news in the next call
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

// admit returns OK for a request that this Master may work on, or the code with which it
// is refused. One that names an older epoch is a packet to a former master, or its
// sender has not heard of this one; the sender of one that names a newer epoch has heard of
// another master (C12.04).
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

// checkOwner returns OK if a session is alive and of this principal. One that is not
// remembered never comes to life again: a client that names this epoch was told of
// sessions that stood in these rows. A client that names one that is yet to be opened has
// guessed its number: the log, which knows no principals but of sessions, would
// execute the call behind the opening.
func (m *Master) checkOwner(who api.Principal, id api.SessionID) api.Code {
	switch s, alive := m.sessions.Get(id); {
	case !alive:
		return api.NoSession
	case s.Principal != who:
		return api.Permission
	}
	return api.OK
}

// ack notes which calls the client waits for no more, as it says with a request.
func (m *Master) ack(at At, q api.Request) {
	if _, alive := m.sessions.Get(q.Session); alive && m.ops != nil {
		m.ops.Ack(at, q.Session, q.AckedThrough)
		m.collect(at)
	}
}

// refuse answers a request that this Master does not work on. To the sender of one
// of a later epoch it names no master: it is not master itself, though it does not know yet.
func (m *Master) refuse(at At, from Addr, q api.Request, code api.Code) {
	m.answerTo(from, q, api.Result{Code: code})
	if p := &m.out.Replies[len(m.out.Replies)-1]; q.Epoch > m.epoch && p.Master == m.cfg.ID {
		p.Master = 0
	}
	if code == api.NotMaster {
		m.seekers.note(at.Now, from, q)
	}
}

// enter gives a request on a row its entry among the calls, and its command to the queue in
// front of the log; unless its number is that of a call under way: then it is a duplicate
// of that one, whatever it asks for.
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

// leave answers a call on a row. Where its own command is still on the way, as after an
// older duplicate was found executed, the entry stays until that is applied.
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

// hasAcked reports whether the client of a call has said that it waits for it no more. It
// may have been told since what there is without it.
func (m *Master) hasAcked(q api.Request) bool {
	return q.Session != 0 && q.Seq <= m.calls.Acked(q.Session)
}

// command is what a request becomes; a session is its opener's.
func (m *Master) command(who api.Principal, q api.Request) command.Call {
	c := command.Call{Guard: m.guard, Session: q.Session, Seq: q.Seq, AckedThrough: q.AckedThrough, Op: q.Op}
	if _, opens := q.Op.(api.OpenSession); opens {
		c.Principal = who
	}
	return c
}

// onCallApplied answers a call on a row. A command of it with an older guard that was
// refused says nothing about the command of this tenure.
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
