package master

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/master/fairqueue"
	"github.com/chubbycell/chubby/replica/state/command"
)

// newQueue forgets the commands that wait for the log: their tenure is over.
func (m *Master) newQueue() {
	m.queue = fairqueue.New[Proposal](m.cfg.Share)
	m.out.Begun = nil
}

// join puts a command into the queue in front of the log: into that of a principal if the
// principal asked for it, into that of the System if it follows from something else.
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

// takeTurns gives the log as many commands that wait as it has room for. A principal that
// is alone in the cell need not be kept apart.
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

// dropGivenUp takes out of the queue what a client waits for no more, as it says with a
// request: the client would not look at the answer, and calls that it waits for stand
// behind. Where the log is slow, a whole queue may be given up before its turn comes.
// What takes or gives back a handle or a lock is done all the same.
func (m *Master) dropGivenUp(at At, who api.Principal, q api.Request) {
	if m.ops == nil || m.queue.Of(who) == 0 || q.AckedThrough <= m.calls.Acked(q.Session) {
		return
	}
	if who != fairqueue.System && !m.calls.IsQueued(q.Session) {
		return // as of a client that waits for each answer; the queue of its principal may be long
	}
	given := m.queue.Drop(who, func(p Proposal) bool {
		return p.key.Session == q.Session && p.key.Seq <= q.AckedThrough && p.isInVain()
	})
	for _, p := range given {
		m.count.GivenUp++
		m.Refused(at, p, api.Stale)
	}
}

// isInVain reports whether a command may be left out when its client does not wait for the
// answer any more.
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

// onCommandApplied takes a command that was applied out of the account of its principal.
// Those of this tenure were proposed here, each once; a command of the same call with the
// guard of another tenure is another command.
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

// ownerOf is the principal in whose queue a command of nodeops waits.
func (m *Master) ownerOf(c command.Command) (api.Principal, calls.Key) {
	act, ok := c.(command.NodeCommand)
	if !ok || m.sessions == nil {
		return fairqueue.System, calls.Key{}
	}
	s, _ := m.sessions.Get(act.Session)
	return s.Principal, calls.Key{Session: act.Session, Seq: act.Seq}
}

// noPlaceResult answers a call for which there is no place. Later says, with authority, that
// there is no other master to look for.
func noPlaceResult(at At) api.Result {
	if at.HasAuthority() {
		return api.Result{Code: api.Later}
	}
	return api.Result{Code: api.Busy}
}

// isBusy reports whether enough calls wait for the log: all together, or of this principal,
// which may have no more than there are places left.
func (m *Master) isBusy(who api.Principal) bool {
	n := m.calls.Logged() + m.calls.Proposed()
	return n >= m.cfg.MaxPending || m.queue.Of(who) >= m.cfg.MaxPending-n
}
