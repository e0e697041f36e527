package master

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/master/fairqueue"
	"github.com/chubbycell/chubby/replica/state/command"
)

// newQueue makes an empty queue. Commands that wait are dropped: their tenure is over.
func (m *Master) newQueue() {
	m.queue = fairqueue.New[Proposal](m.cfg.Share)
	m.out.Begun = nil
}

// join puts a command into the queue in front of the log: a command for a call into the queue of the
// call's principal, any other into the queue of fairqueue.System.
func (m *Master) join(who api.Principal, p Proposal) {
	p.who, p.ballot = who, m.ballot
	if who != fairqueue.System {
		m.calls.Enqueue(p.key, who)
	}
	if !m.cfg.Unobserved {
		m.out.Begun = append(m.out.Begun, p.Command)
	}
	m.queue.Join(who, p, len(p.Command))
}

// takeTurns moves commands from the queue to the output, as many as the log has room for. A principal
// that alone has sessions in the cell need not be kept apart.
func (m *Master) takeTurns(now time.Time, room int) {
	if m.queue.Waiting() == 0 {
		return
	}
	m.queue.SetApart(m.sessions == nil || m.sessions.Principals() > 1)
	for _, p := range m.queue.Take(now, room-len(m.out.Propose)) {
		m.proof.last = false
		if p.who != fairqueue.System {
			m.calls.Take(p.key)
		}
		m.out.Propose = append(m.out.Propose, p)
	}
}

// dropGivenUp takes commands out of the queue whose calls the client has given up, as it says with
// this request: the client would ignore their answers, and calls for which it waits stand behind them.
// If the log is slow, a whole queue may be given up before its turn comes. Commands that take or give
// back a handle or a lock stay.
func (m *Master) dropGivenUp(at At, who api.Principal, q api.Request) {
	if m.ops == nil || m.queue.Of(who) == 0 || q.AckedThrough <= m.calls.Acked(q.Session) {
		return
	}
	if who != fairqueue.System && !m.calls.IsQueued(q.Session) {
		return // usual for a client that waits for each answer; this spares a walk over a long queue
	}
	given := m.queue.Drop(who, func(p Proposal) bool {
		return p.key.Session == q.Session && p.key.Seq <= q.AckedThrough && p.isInVain()
	})
	for _, p := range given {
		m.count.GivenUp++
		m.Refused(at, p, api.Stale)
	}
}

// isInVain reports whether a command may be left out once its client has given the call up.
func (p Proposal) isInVain() bool {
	if p.what == forRequest {
		return true
	}
	act, _ := p.own.(command.NodeCommand)
	switch act.Op.(type) {
	case command.GetContents, command.GetStat, command.ReadDir, command.SetContents, command.SetACL, command.DeleteNode,
		command.GetSequencer, command.CheckSequencer:
		return true
	}
	return false
}

// onCommandApplied takes an applied command out of the account of its principal. This Master has
// proposed each command with the guard of this tenure, once. A command of the same call with another
// guard is another command and is not counted.
func (m *Master) onCommandApplied(at At, c command.Command) {
	switch c := c.(type) {
	case command.Call:
		if c.Guard == m.guard {
			m.finish(at, calls.KeyOf(c.Principal, c.Session, c.Seq, c.Op))
		}
	case command.NodeCommand:
		if c.Guard == m.guard {
			m.finish(at, calls.Key{Session: c.Session, Seq: c.Seq})
		}
	}
}

func (m *Master) finish(at At, k calls.Key) {
	if who, ok := m.calls.Applied(k); ok {
		m.queue.Done(at.Now, who)
	}
}

// ownerOf returns the principal in whose queue a command of nodeops waits, and the key of its call.
func (m *Master) ownerOf(c command.Command) (api.Principal, calls.Key) {
	act, ok := c.(command.NodeCommand)
	if !ok || m.sessions == nil {
		return fairqueue.System, calls.Key{}
	}
	s, _ := m.sessions.Get(act.Session)
	return s.Principal, calls.Key{Session: act.Session, Seq: act.Seq}
}

// noPlaceResult returns the answer to a call for which there is no room. With authority it is Later:
// the client need not look for another master.
func noPlaceResult(at At) api.Result {
	if at.HasAuthority() {
		return api.Result{Code: api.Later}
	}
	return api.Result{Code: api.Busy}
}

// isBusy reports whether the log has no room for another call: MaxPending calls are under way, or this
// principal has as many under way as there are places left.
func (m *Master) isBusy(who api.Principal) bool {
	n := m.calls.Logged() + m.calls.Proposed()
	return n >= m.cfg.MaxPending || m.queue.Of(who) >= m.cfg.MaxPending-n
}
