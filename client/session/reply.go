package session

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// Receive handles an answer of the replica from. It ignores answers to requests that this
// machine did not send, and to calls that have ended.
func (m *Machine) Receive(now time.Time, from uint32, p api.Reply) {
	m.advanceLease(now)
	if !m.route.has(from) || p.ID < m.first || p.ID > m.lastID {
		return
	}
	if p.Epoch > m.epoch {
		m.epoch = p.Epoch
		m.route.setMasterOfNewEpoch(p.Master)
		m.endOutlivedCalls() // before a refusal could send them to the new master
	}
	switch {
	case p.Session == 0 && p.Seq == 0:
		if m.opener != nil {
			m.receiveOpen(now, from, p)
		}
	case p.Session != m.session || m.session == 0 || m.state == Over:
	case p.Code == api.NoSession: // to any request
		m.onSessionGone()
	case p.Seq == 0:
		m.receiveKeepAlive(now, from, p)
	default:
		m.receiveCall(now, from, p)
	}
	m.resendStale(now)
}

// receiveOpen handles an answer to any sending of the OpenSession: all carry one nonce and so
// name one session.
func (m *Machine) receiveOpen(now time.Time, from uint32, p api.Reply) {
	switch {
	case p.Code == api.OK && p.Result.Session != 0 && m.epoch != 0:
		m.noteMasterAnswer(now, from, p)
		m.onOpened(now, p.Result.Session)
	case p.Code.Execution() == api.Never:
		m.finish(Answered, api.Result{Code: p.Code})
	case p.Code == api.NoSession || p.Code == api.Stale: // opened and ended meanwhile
		m.finish(Expired, api.Result{Code: api.NoSession})
	default:
		m.onRefusal(now, from, p, m.opener)
	}
}

// noteMasterAnswer records which replica has answered for the cell. A deposed master may answer
// too; it names another master.
func (m *Machine) noteMasterAnswer(now time.Time, from uint32, p api.Reply) {
	if p.Epoch == m.epoch && p.Master == from {
		m.route.setMaster(from, now)
		return
	}
	m.route.noteAnswer(from, now)
}

// onOpened begins the open session, or ends it if Close was called in the meantime.
func (m *Machine) onOpened(now time.Time, id api.SessionID) {
	m.session, m.opener = id, nil
	m.startKeepAlive(now)
	if m.state == Ending {
		m.sendEnd(now)
		return
	}
	m.state = Open
	m.pump(now)
}

// receiveCall handles an answer to a call of the session. Definite answers count for any
// sending; the others count only for the newest.
func (m *Machine) receiveCall(now time.Time, from uint32, p api.Reply) {
	c := m.find(p.Seq)
	if c == nil || m.isPremature(c, p) {
		return
	}
	if c.withdrawn {
		_, held := p.Detail.(api.Held)
		c.granted = c.granted || held
		return
	}
	switch p.Code.Execution() {
	case api.Executed:
		m.noteMasterAnswer(now, from, p)
		m.settle(c)
		m.onAnswer(now, c, Done{Outcome: Executed, Why: Answered, Result: p.Result, Cacheable: m.isCacheable(c, p)})
	case api.Never:
		m.route.noteAnswer(from, now)
		m.onAnswer(now, c, Done{Outcome: Refused, Why: Answered, Result: api.Result{Code: p.Code}})
	default:
		if p.Code == api.Stale || p.Code == api.NoHandle { // no duplicate will be executed, but one may have been
			m.onAnswer(now, c, Done{Outcome: Unknown, Why: Answered, Result: api.Result{Code: p.Code}})
			return
		}
		m.onRefusal(now, from, p, c)
	}
}

// isPremature reports whether p must not end c. The answer of an earlier master was true, but that
// master may have remembered a handle or lock only in memory. The present master decides again, and
// answers with its own token or with the state of the lock; it may also have room that the earlier
// one did not have.
func (m *Machine) isPremature(c *call, p api.Reply) bool {
	switch {
	case (p.Code.IsDefinite() || p.Code == api.NoHandle) && p.Epoch < m.epoch:
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

// onAnswer ends c, and the machine if c was the EndSession.
func (m *Machine) onAnswer(now time.Time, c *call, d Done) {
	m.removeFlight(c)
	if m.state == Ending {
		m.finish(Closed, api.Result{})
		return
	}
	if c.isTakenBefore(d.Result.Code) {
		m.tryLater(now, c)
		return
	}
	if _, closes := c.op.(api.CloseHandle); closes && d.Result.Code == api.OK {
		m.onHandleClosed(api.HandleOf(c.op))
	}
	if !c.handleClosed {
		m.holdings.update(c.op, d.Result)
	}
	m.settleOpen(c)
	m.cleanUp(now, c, d.Result)
	m.report(c, d)
	m.pump(now)
}

// onLeaseExpired ends everything when the grace period has ended. Whether the session still
// exists at the cell is unknown, so a Close has not succeeded.
func (m *Machine) onLeaseExpired() {
	if m.state != Ending {
		m.finish(Expired, api.Result{Code: api.NoSession})
		return
	}
	for _, t := range m.closeTokens {
		m.emitDone(Done{Token: t, Outcome: Unknown, Why: Expired})
	}
	m.closeTokens = nil
	m.finish(Closed, api.Result{})
}

// onSessionGone ends everything because the cell has no such session. This is success for a
// Close.
func (m *Machine) onSessionGone() {
	if m.state == Ending {
		m.finish(Closed, api.Result{})
		return
	}
	m.finish(Expired, api.Result{Code: api.NoSession})
}

// maxHints bounds the hints that one call follows at once. Then it pauses, so that replicas
// that name each other cannot make a client spin.
const maxHints = 2

// isRecovering reports whether p comes from the master of the latest epoch, which accepts only
// KeepAlives so far. If its refusals sent calls elsewhere, the next KeepAlive would follow
// them; with the other replicas down, the session would expire while its master recovers.
// KeepAlives find out whether that replica still is the master.
func (m *Machine) isRecovering(from uint32, p api.Reply) bool {
	return p.Code == api.Recovering && p.Epoch == m.epoch && p.Master == from && m.keep != nil
}

// onRefusal handles a code that decides nothing: the call is sent again, at once if a better
// replica is known, and after a pause otherwise. resendStale handles what the refusal says
// about epochs.
func (m *Machine) onRefusal(now time.Time, from uint32, p api.Reply, c *call) {
	if p.ID != c.id {
		return
	}
	if p.Code == api.Parked {
		m.route.noteAnswer(from, now)
		if !c.parked && c.lostGrants > 0 {
			c.stays = now.Add(m.cfg.pause(m.cfg.RetryMin, c.lostGrants))
		}
		c.parked, c.missed, c.refused = true, 0, 0
		c.due = now.Add(m.cfg.jitter(m.cfg.ParkedRetry))
		m.pump(now)
		return
	}
	c.id = 0
	if p.Code == api.NotMaster {
		m.route.follow(from, p.Master)
		if p.Master != 0 && m.route.target() != from && c.hints < maxHints && m.canSend(c) {
			c.hints++
			m.send(now, c)
			return
		}
	}
	if c.masterRefused = p.Code == api.Later || m.isRecovering(from, p); c.masterRefused {
		m.noteMasterAnswer(now, from, p)
	}
	c.due = now.Add(m.refusalPause(p, c.refused))
	c.refused++
}

// refusalPause returns the pause after n refusals, the last of which is p. A replica that knows no
// master, or is a master that does not serve yet, will soon know more.
func (m *Machine) refusalPause(p api.Reply, n int) time.Duration {
	if p.Code == api.NotMaster && p.Master == 0 || p.Code == api.Recovering {
		return m.cfg.searchPause(n)
	}
	return m.cfg.pause(m.cfg.RetryMin, n)
}
