package session

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// Receive takes an answer from the replica from. Answers to what this machine
// did not ask are ignored, and so are answers to calls that have ended.
func (m *Machine) Receive(now time.Time, from uint32, p api.Reply) {
	m.pass(now)
	if !m.route.has(from) || p.ID < m.first || p.ID > m.lastID {
		return
	}
	if p.Epoch > m.epoch {
		m.epoch = p.Epoch
		m.outlived() // or a refusal would send them on
	}
	switch {
	case p.Session == 0 && p.Seq == 0:
		if m.opener != nil {
			m.receiveOpen(now, from, p)
		}
	case p.Session != m.session || m.session == 0 || m.state == Over:
	case p.Code == api.NoSession: // whatever it answers
		m.sessionGone()
	case p.Seq == 0:
		m.receiveBeat(now, from, p)
	default:
		m.receiveCall(now, from, p)
	}
	m.catchUp(now)
}

// receiveOpen handles an answer to the opener: to any of its sendings, since
// they all carry one nonce and so name one session.
func (m *Machine) receiveOpen(now time.Time, from uint32, p api.Reply) {
	switch {
	case p.Code == api.OK && p.Result.Session != 0 && m.epoch != 0:
		m.served(now, from, p)
		m.opened(now, p.Result.Session)
	case p.Code.Execution() == api.Never:
		m.finish(Answered, api.Result{Code: p.Code})
	case p.Code == api.NoSession || p.Code == api.Stale: // opened and ended meanwhile
		m.finish(Expired, api.Result{Code: api.NoSession})
	default:
		m.refusal(now, from, p, m.opener)
	}
}

// served notes who has answered for the cell. A deposed master may, too; it names
// another one.
func (m *Machine) served(now time.Time, from uint32, p api.Reply) {
	if p.Epoch == m.epoch && p.Master == from {
		m.route.serves(from, now)
		return
	}
	m.route.answered(from, now)
}

// opened begins the session proper, or ends it if that was asked meanwhile.
func (m *Machine) opened(now time.Time, id api.SessionID) {
	m.session, m.opener = id, nil
	m.keepAlive(now)
	if m.state == Ending {
		m.sendEnd(now)
		return
	}
	m.state = Open
	m.pump(now)
}

// receiveCall handles an answer to a call of the session. Definite answers count
// whichever sending they answer; the others only if they answer the newest one.
func (m *Machine) receiveCall(now time.Time, from uint32, p api.Reply) {
	c := m.find(p.Seq)
	if c == nil || c.withdrawn || m.premature(c, p) {
		return
	}
	switch p.Code.Execution() {
	case api.Executed:
		m.served(now, from, p)
		m.answer(now, c, Done{Outcome: Executed, Why: Answered, Result: p.Result})
	case api.Never:
		m.route.answered(from, now)
		m.answer(now, c, Done{Outcome: Refused, Why: Answered, Result: api.Result{Code: p.Code}})
	default:
		if p.Code == api.Stale || p.Code == api.NoHandle { // no copy will be executed now, but one may have been
			m.answer(now, c, Done{Outcome: Unknown, Why: Answered, Result: api.Result{Code: p.Code}})
			return
		}
		m.refusal(now, from, p, c)
	}
}

// premature says that p cannot be taken for the answer to c, though it is one. What
// a former master said was true, but the present one has to know of it, and decides
// anew what that one only remembered: it is asked, and answers with its own token,
// and with what became of a lock. It may have room where that one had none.
func (m *Machine) premature(c *call, p api.Reply) bool {
	switch {
	case (p.Code.Definite() || p.Code == api.NoHandle) && p.Epoch < m.epoch:
		return true
	case p.Code != api.OK:
		return false
	}
	switch c.op.(type) {
	case api.Open, api.SetSequencer:
		opened, ok := p.Detail.(api.Opened)
		return !ok || opened.Token == ""
	case api.Acquire:
		_, ok := p.Detail.(api.Held)
		return !ok
	}
	return false
}

// answer ends c, and with it the machine if c was the ender.
func (m *Machine) answer(now time.Time, c *call, d Done) {
	m.land(c)
	if m.state == Ending {
		m.finish(Closed, api.Result{})
		return
	}
	if _, closes := c.op.(api.CloseHandle); closes && d.Result.Code == api.OK {
		m.shut(api.HandleOf(c.op))
	}
	if !c.shut {
		m.holdings.note(c.op, d.Result)
	}
	m.settle(c, d.Result)
	m.end(c, d)
	m.pump(now)
}

// lapse ends everything when grace is over. Whether the session still stands at the
// cell is not known: who is closing it has not been told that it ended.
func (m *Machine) lapse() {
	if m.state != Ending {
		m.finish(Expired, api.Result{Code: api.NoSession})
		return
	}
	for _, t := range m.closers {
		m.done(Done{Token: t, Outcome: Unknown, Why: Expired})
	}
	m.closers = nil
	m.finish(Closed, api.Result{})
}

// sessionGone ends everything, by the cell's word. To a client that is closing it is
// what it asked for.
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

// recovers says that p comes from the master of the latest epoch, which takes nothing
// but KeepAlives yet: turned to others for its refusals, the next KeepAlive would go
// there too, and with those others down the session would end that it waits for.
// Whether it still is the master, the KeepAlives find out.
func (m *Machine) recovers(from uint32, p api.Reply) bool {
	return p.Code == api.Recovering && p.Epoch == m.epoch && p.Master == from && m.keep != nil
}

// refusal handles the codes that decide nothing: the call goes out again, at once
// where a better replica is known, after a pause otherwise. What the refusal says
// about epochs is catchUp's.
func (m *Machine) refusal(now time.Time, from uint32, p api.Reply, c *call) {
	if p.ID != c.id {
		return
	}
	if p.Code == api.Parked {
		m.route.answered(from, now)
		c.parked, c.missed, c.refused = true, 0, 0
		c.due = now.Add(m.cfg.jitter(m.cfg.ParkedRetry))
		m.pump(now)
		return
	}
	c.id = 0
	if p.Code == api.NotMaster {
		m.route.follow(from, p.Master)
		if p.Master != 0 && m.route.target() != from && c.hops < maxHops && m.goes(c) {
			c.hops++
			m.send(now, c)
			return
		}
	}
	if c.later = p.Code == api.Later || m.recovers(from, p); c.later {
		m.served(now, from, p)
	}
	c.due = now.Add(m.cfg.pause(m.cfg.RetryMin, c.refused))
	c.refused++
}
