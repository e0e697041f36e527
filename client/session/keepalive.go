package session

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// beat is one sending of the KeepAlive that is not answered yet.
type beat struct {
	id   uint64
	at   time.Time // when it was sent: what its answer says counts from here
	part int       // which part of a notice it carries; 0: none
}

// maxBeats bounds the sendings that are remembered. An answer to an older one
// comes too late to be of use.
const maxBeats = 64

// keepAlive begins to keep the lease of a new session.
func (m *Machine) keepAlive(now time.Time) {
	m.lease.begin(now)
	m.flushed = m.epoch // there is nothing that could be flushed yet
	m.keep = &call{}
	m.send(now, m.keep)
}

// beat is the next KeepAlive, and notes its sending. The master is expected to
// hold it, unless it is told not to.
func (m *Machine) beat(now time.Time, c *call) api.Op {
	op := api.KeepAlive{Flushed: m.flushed, Now: m.urgent(now)}
	b := beat{id: c.id, at: now}
	if m.notice.epoch != 0 {
		op.Tokens, b.part = m.notice.tokens[:m.notice.size], m.notice.part
	}
	if m.beats = append(m.beats, b); len(m.beats) > maxBeats {
		m.beats = slices.Delete(m.beats, 0, 1)
	}
	c.held = !op.Now && b.part == 0
	if c.held {
		c.due = m.lease.soon
	}
	return op
}

// urgent says that the client cannot wait for as long as the master might hold its
// request: there is no lease to count on, the answer is overdue, the master waits for
// the client, since it is a new one, or it is not known that this is the master: one
// that is down is silent as well.
func (m *Machine) urgent(now time.Time) bool {
	return m.lease.state != Valid || !now.Before(m.lease.soon) || m.confirmed < m.epoch || !m.route.known()
}

// keeps is where a KeepAlive goes: with everything else, to the target. But where calls
// have turned to others and found no master yet, the first one goes to the keeper: that
// it was silent may be its slow log, and KeepAlives wait for no log. With the others
// down, the session would end beside its master.
func (m *Machine) keeps() uint32 {
	if m.lease.state == Valid && !m.route.known() && m.confirmed == m.epoch && m.keeper != 0 {
		return m.keeper
	}
	return m.route.target()
}

// forsaken says that a replica has refused a KeepAlive, or left one unanswered that it
// was not to hold.
func (m *Machine) forsaken(by uint32) {
	if by == m.keeper {
		m.keeper = 0
	}
}

// receiveBeat handles an answer to a KeepAlive, to any of its sendings that are
// remembered: each says something about the lease.
func (m *Machine) receiveBeat(now time.Time, from uint32, p api.Reply) {
	if m.keep == nil {
		return
	}
	l, leased := p.Detail.(api.Leased)
	switch {
	case p.Code == api.Invalid && p.Epoch == m.epoch:
		m.unleased(now)
		return
	case p.Code != api.OK || !leased:
		m.forsaken(from)
		m.refusal(now, from, p, m.keep)
		return
	}
	i := slices.IndexFunc(m.beats, func(b beat) bool { return b.id == p.ID })
	if i < 0 {
		return
	}
	b := m.beats[i]
	m.beats = slices.Delete(m.beats, 0, i+1)
	m.served(now, from, p)
	if p.Epoch == m.epoch && p.Master == from {
		m.keeper = from
	}
	if m.route.target() == from {
		m.keep.hops = 0 // the newest may have gone astray: it may come back, whatever it was sent after
	}
	before := m.lease
	safe := m.lease.granted(now, b.at, min(max(l.Lease, 0), api.MaxLease))
	noticed := m.noticed(b, p.Epoch, l.Failover)
	if safe {
		m.safe(now, before.state)
	}
	if p.ID == m.keep.id {
		m.beatAgain(now, b, safe || noticed)
	}
}

// unleased is what a master says that gives no leases: sessions live for ever, and
// nobody asks whether they do. The next master may be another one.
func (m *Machine) unleased(now time.Time) {
	was := m.lease.state
	m.lease.state, m.keep, m.beats, m.notice, m.confirmed = NoLease, nil, nil, notice{}, m.epoch
	m.safe(now, was)
}

// beatAgain sends the next KeepAlive when the newest was answered: at once, for one
// is to be under way nearly always (C11.09). An answer that came at once and
// brought nothing makes it pause, so that no master can make a client spin; but not
// until the next answer is overdue.
func (m *Machine) beatAgain(now time.Time, b beat, news bool) {
	c := m.keep
	c.missed, c.refused, c.hops = 0, 0, 0
	if !news && (m.lease.state != Valid || now.Sub(b.at) < m.cfg.RetryMin) {
		c.id, c.due = 0, now.Add(m.cfg.pause(m.cfg.RetryMin, c.vain))
		if soon := m.lease.soon; m.lease.state == Valid && soon.Before(c.due) && now.Before(soon) {
			c.due = soon
		}
		c.vain++
		return
	}
	c.vain = 0
	m.send(now, c)
}

// safe goes on where Fresh or Jeopardy had stopped: with the answers that came
// meanwhile, the calls that are due, and those that wait.
func (m *Machine) safe(now time.Time, was Lease) {
	if was == Jeopardy {
		m.tell(Event{Kind: EventSafe})
	}
	m.deliver()
	m.resendDue(now)
	m.pump(now)
}

// pass lets time do what it does to the lease by itself. Every door begins so:
// which of two doors comes first at one instant makes no difference.
func (m *Machine) pass(now time.Time) {
	for m.state == Open || m.state == Ending {
		switch m.lease.pass(now) {
		case nothing:
			return
		case threatened:
			m.tell(Event{Kind: EventJeopardy})
		case lapsed:
			m.lapse()
		}
	}
}

// goes says that c may be sent now.
func (m *Machine) goes(c *call) bool {
	return c == m.opener || c == m.keep || m.flows() && !c.withdrawn
}

// flows says that calls may go out and answers may be told. While the lease may
// be over, neither is so (C11.18), but for the session's own end.
func (m *Machine) flows() bool {
	switch m.lease.state {
	case NoLease, Valid:
		return true
	}
	return m.state == Ending
}
