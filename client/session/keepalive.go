package session

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// keepAliveSent is one sending of a KeepAlive that is not answered yet.
type keepAliveSent struct {
	id   uint64
	at   time.Time // when it was sent: a lease in the answer counts from here
	part int       // the part of a failoverNotice that it carries; 0: none
	acks bool      // it says AckedThrough
}

// maxKeepsSent bounds the remembered sendings. An answer to an older one comes too late to be of
// use.
const maxKeepsSent = 64

// startKeepAlive begins to renew the lease of a new session.
func (m *Machine) startKeepAlive(now time.Time) {
	m.lease.begin(now)
	m.acked = m.epoch // a new session has nothing to recover
	m.keep = &call{}
	m.send(now, m.keep)
}

// nextKeepAlive returns the next KeepAlive and records its sending; acks: it says AckedThrough. The master is
// expected to hold it unless Now is set.
func (m *Machine) nextKeepAlive(now time.Time, c *call, acks bool) api.Op {
	op := api.KeepAlive{AckedEpoch: m.acked, AckedEvents: m.ackedEvents(), Now: m.needsAnswerNow(now)}
	b := keepAliveSent{id: c.id, at: now, acks: acks}
	if m.notice.epoch != 0 {
		op.Tokens, b.part = m.notice.tokens[:m.notice.size], m.notice.part
	}
	if m.keepsSent = append(m.keepsSent, b); len(m.keepsSent) > maxKeepsSent {
		m.keepsSent = slices.Delete(m.keepsSent, 0, 1)
	}
	c.heldByMaster = !op.Now && b.part == 0
	if c.heldByMaster {
		c.due = m.lease.answerBy
	}
	return op
}

// needsAnswerNow reports whether the client cannot wait for as long as the master might hold its
// request: no lease runs, the answer is overdue, a new master waits for the client, or the target
// has not answered yet and may be down.
func (m *Machine) needsAnswerNow(now time.Time) bool {
	return m.lease.state != Valid || !now.Before(m.lease.answerBy) || m.settled < m.epoch || !m.route.hasAnswered()
}

// keepAliveTarget returns the replica to send a KeepAlive to, usually the target of calls. If calls
// have left the target and found no master yet, the next KeepAlive still goes to the master that
// answered the last one. That master may have been silent because its log is slow, and KeepAlives
// do not wait for the log. If the other replicas are down, the session would otherwise expire
// although its master is alive.
func (m *Machine) keepAliveTarget() uint32 {
	if m.lease.state == Valid && !m.route.hasAnswered() && m.settled == m.epoch && m.leaseMaster != 0 {
		return m.leaseMaster
	}
	return m.route.target()
}

// forgetLeaseMaster is called when a replica has refused a KeepAlive, or has not answered one that
// it was not to hold.
func (m *Machine) forgetLeaseMaster(by uint32) {
	if by == m.leaseMaster {
		m.leaseMaster = 0
	}
}

// receiveKeepAlive handles an answer to any remembered sending of a KeepAlive: each of them
// says something about the lease.
func (m *Machine) receiveKeepAlive(now time.Time, from uint32, p api.Reply) {
	if m.keep == nil {
		return
	}
	i := slices.IndexFunc(m.keepsSent, func(b keepAliveSent) bool { return b.id == p.ID })
	l, leased := p.Detail.(api.Leased)
	switch {
	case p.Code == api.Invalid && p.Epoch == m.epoch:
		if i >= 0 {
			m.onInvalidKeepAlive(now, m.keepsSent[i])
		}
		return
	case p.Code != api.OK || !leased:
		m.forgetLeaseMaster(from)
		m.onRefusal(now, from, p, m.keep)
		return
	}
	if i < 0 {
		return
	}
	b := m.keepsSent[i]
	m.keepsSent = slices.Delete(m.keepsSent, 0, i+1)
	m.noteMasterAnswer(now, from, p)
	if p.Epoch == m.epoch && p.Master == from {
		m.leaseMaster = from
	}
	if m.route.target() == from {
		m.keep.hints = 0 // the newest KeepAlive may be at another replica: allow it to return here
	}
	before := m.lease
	safe := m.lease.onGrant(now, b.at, min(max(l.Lease, 0), api.MaxLease))
	noticed := m.onFailover(b, p.Epoch, l.Failover)
	if safe {
		m.resume(now, before.state)
	}
	told := m.takeEvents(p.Epoch, l)
	if p.ID == m.keep.id {
		m.scheduleKeepAlive(now, b, safe || noticed || told)
	}
}

// onInvalidKeepAlive handles what a master that gives no leases says, and a replica of an older program to a
// KeepAlive that says AckedThrough: so one without is to be refused as well.
func (m *Machine) onInvalidKeepAlive(now time.Time, b keepAliveSent) {
	if !b.acks {
		m.onNoLeases(now)
		return
	}
	m.quiet = m.epoch
	if b.id == m.keep.id {
		m.send(now, m.keep)
	}
}

// onNoLeases handles the answer of a master that gives no leases: sessions live for ever, and
// KeepAlives stop. The next master may give leases.
func (m *Machine) onNoLeases(now time.Time) {
	was := m.lease.state
	m.lease.state, m.keep, m.keepsSent, m.notice, m.settled = NoLease, nil, nil, failoverNotice{}, m.epoch
	m.resume(now, was)
}

// scheduleKeepAlive sends the next KeepAlive when the newest was answered. It sends it at once,
// because one should be under way nearly always (C11.09) and it acknowledges the events in the
// answer. After an answer that came at once and brought no news it pauses instead, so that no
// master can make a client spin; the pause ends when the next answer is overdue.
func (m *Machine) scheduleKeepAlive(now time.Time, b keepAliveSent, news bool) {
	c := m.keep
	c.missed, c.refused, c.hints = 0, 0, 0
	if !news && (m.lease.state != Valid || now.Sub(b.at) < m.cfg.RetryMin) {
		c.id, c.due = 0, now.Add(m.cfg.pause(m.cfg.RetryMin, c.emptyAnswers))
		if soon := m.lease.answerBy; m.lease.state == Valid && soon.Before(c.due) && now.Before(soon) {
			c.due = soon
		}
		c.emptyAnswers++
		return
	}
	c.emptyAnswers = 0
	m.send(now, c)
}

// resume continues what Fresh or Jeopardy had stopped: it reports withheld answers, sends the calls
// that are due, and launches queued ones.
func (m *Machine) resume(now time.Time, was Lease) {
	if was == Jeopardy {
		m.emitEvent(Event{Kind: EventSafe})
	}
	m.reportWithheld()
	m.resendDue(now)
	m.pump(now)
}

// advanceLease handles the deadlines of the lease that have passed. Every input calls it first,
// so the order of two inputs at one instant makes no difference.
func (m *Machine) advanceLease(now time.Time) {
	for m.state == Open || m.state == Ending {
		switch m.lease.advance(now) {
		case leaseUnchanged:
			return
		case leaseInJeopardy:
			m.emitEvent(Event{Kind: EventJeopardy})
		case leaseExpired:
			m.onLeaseExpired()
		}
	}
}

// canSend reports whether c may be sent now.
func (m *Machine) canSend(c *call) bool {
	return c == m.opener || c == m.keep || m.canExchange() && !c.withdrawn
}

// canExchange reports whether calls may be sent and answers reported. While the lease may be
// over neither is allowed (C11.18), except for ending the session.
func (m *Machine) canExchange() bool {
	switch m.lease.state {
	case NoLease, Valid:
		return true
	}
	return m.state == Ending
}
