package session

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// Receive takes an answer from the replica from. Answers to what this machine
// did not ask are ignored, and so are answers to calls that have ended.
func (m *Machine) Receive(now time.Time, from uint32, p api.Reply) {
	if !m.route.has(from) || p.ID < m.first || p.ID > m.lastID {
		return
	}
	m.epoch = max(m.epoch, p.Epoch)
	switch {
	case p.Session == 0 && p.Seq == 0:
		if m.opener != nil {
			m.receiveOpen(now, from, p)
		}
	case p.Session == m.session && m.session != 0 && m.state != Over:
		m.receiveCall(now, from, p)
	}
}

// receiveOpen handles an answer to the opener: to any of its sendings, since
// they all carry one nonce and so name one session.
func (m *Machine) receiveOpen(now time.Time, from uint32, p api.Reply) {
	switch {
	case p.Code == api.OK && p.Result.Session != 0:
		m.route.answered(from, now)
		m.opened(now, p.Result.Session)
	case p.Code.Execution() == api.Never:
		m.finish(Answered, api.Result{Code: p.Code})
	case p.Code == api.NoSession || p.Code == api.Stale: // opened and ended meanwhile
		m.finish(Expired, api.Result{Code: api.NoSession})
	default:
		m.refusal(now, from, p, m.opener)
	}
}

// opened begins the session proper, or ends it if that was asked meanwhile.
func (m *Machine) opened(now time.Time, id api.SessionID) {
	m.session, m.opener = id, nil
	if m.state == Ending {
		m.sendEnd(now)
		return
	}
	m.state = Open
	m.pump(now)
}

// receiveCall handles an answer to a call of the session. NoSession counts
// whichever call it answers, and definite answers count whichever sending they
// answer; the others only if they answer the newest one.
func (m *Machine) receiveCall(now time.Time, from uint32, p api.Reply) {
	if p.Code == api.NoSession {
		m.sessionGone()
		return
	}
	c := m.find(p.Seq)
	if c == nil {
		return
	}
	switch p.Code.Execution() {
	case api.Executed:
		m.route.answered(from, now)
		m.answer(now, c, Done{Outcome: Executed, Why: Answered, Result: p.Result})
	case api.Never:
		m.route.answered(from, now)
		m.answer(now, c, Done{Outcome: Refused, Why: Answered, Result: api.Result{Code: p.Code}})
	default:
		if p.Code == api.Stale { // no copy will be executed now, but one may have been
			m.answer(now, c, Done{Outcome: Unknown, Why: Answered, Result: api.Result{Code: p.Code}})
			return
		}
		m.refusal(now, from, p, c)
	}
}

// answer ends c, and with it the machine if c was the ender.
func (m *Machine) answer(now time.Time, c *call, d Done) {
	m.retire(c, d)
	if m.state == Ending {
		m.finish(Closed, api.Result{})
		return
	}
	m.pump(now)
}

// sessionGone ends everything. To a client that is closing it is what it asked
// for.
func (m *Machine) sessionGone() {
	if m.state == Ending {
		m.finish(Closed, api.Result{})
		return
	}
	m.finish(Expired, api.Result{Code: api.NoSession})
}

// maxHops bounds the hints that one call follows at once; then it pauses, so
// that replicas that name each other cannot make a client spin.
const maxHops = 2

// refusal handles NotMaster, Aborted, Busy and OldEpoch: the call goes out again,
// at once where a better replica or a later epoch is known, after a pause
// otherwise.
func (m *Machine) refusal(now time.Time, from uint32, p api.Reply, c *call) {
	if p.ID != c.id {
		return
	}
	c.id = 0
	if p.Code == api.OldEpoch && c.epoch < m.epoch {
		m.send(now, c)
		return
	}
	if p.Code == api.NotMaster {
		m.route.follow(from, p.Master)
		if p.Master != 0 && m.route.target() != from && c.hops < maxHops {
			c.hops++
			m.send(now, c)
			return
		}
	}
	c.due = now.Add(m.cfg.pause(m.cfg.RetryMin, c.refused))
	c.refused++
}
