package session

import (
	"cmp"
	"slices"
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// call is one op on its way: in the queue, or sent and waited for.
type call struct {
	token Token // 0 for the machine's own opener and ender
	op    api.Op
	seq   api.Seq

	// id, to and sentAt are of the newest sending. id is 0 when that one was
	// refused: the call then waits for due, and a duplicate of the refusal
	// meets nothing.
	id     uint64
	epoch  api.Epoch // that it named
	to     uint32
	sentAt time.Time
	due    time.Time // when to send again

	missed  int // answers that did not come in time
	refused int // refusals
	hops    int // hints followed at once since the last pause
}

// send sends c, to the replica taken for the master.
func (m *Machine) send(now time.Time, c *call) {
	m.lastID++
	c.id, c.to, c.sentAt = m.lastID, m.route.target(), now
	c.due = now.Add(m.cfg.pause(m.cfg.AnswerWait, c.missed))
	q := api.Request{ID: c.id, Op: c.op}
	if c != m.opener {
		q.Session, q.Seq, q.Seen, q.Epoch = m.session, c.seq, m.seen(), m.epoch
	}
	c.epoch = q.Epoch
	m.out.Send = append(m.out.Send, Envelope{To: c.to, Request: q})
}

// resend sends c once more because its time has come. A target that has
// answered nothing since the sending is left, and so is one that keeps refusing:
// it may be a master that was deposed and does not know.
func (m *Machine) resend(now time.Time, c *call) {
	if c.id != 0 {
		c.missed++
		m.route.silent(c.to, c.sentAt)
	} else if c.refused%patience == 0 {
		m.route.leave(c.to)
	}
	c.hops = 0
	m.send(now, c)
}

// patience is how many refusals of one call a target may give.
const patience = 4

// pump sends what waits in the queue, as far as the window goes.
func (m *Machine) pump(now time.Time) {
	for m.state == Open && len(m.queue) > 0 && m.next <= m.seen()+api.Seq(m.cfg.Window) {
		c := m.queue[0]
		m.queue[0] = nil
		m.queue = m.queue[1:]
		m.launch(now, c)
	}
}

// launch gives c its Seq and sends it for the first time.
func (m *Machine) launch(now time.Time, c *call) {
	c.seq = m.next
	m.next++
	m.flight = append(m.flight, c)
	if c.token != 0 {
		m.out.Launched = append(m.out.Launched, Launch{Token: c.token, Session: m.session, Seq: c.seq})
	}
	m.send(now, c)
}

// seen is the highest Seq up to which nobody waits for a call.
func (m *Machine) seen() api.Seq {
	if len(m.flight) > 0 {
		return m.flight[0].seq - 1
	}
	return m.next - 1
}

// find returns the call that was sent as seq and is waited for, or nil.
func (m *Machine) find(seq api.Seq) *call {
	i, ok := slices.BinarySearchFunc(m.flight, seq, func(c *call, s api.Seq) int { return cmp.Compare(c.seq, s) })
	if !ok {
		return nil
	}
	return m.flight[i]
}

// retire takes c out of flight and ends it; Seen may pass it from now on.
func (m *Machine) retire(c *call, d Done) {
	m.flight = slices.DeleteFunc(m.flight, func(f *call) bool { return f == c })
	m.end(c, d)
}

// end says how a call of the caller's ended.
func (m *Machine) end(c *call, d Done) {
	if c.token != 0 {
		d.Token = c.token
		m.done(d)
	}
}

// abandon ends all calls: those that were sent are Unknown, the others Refused.
func (m *Machine) abandon(why Why, r api.Result) {
	flight, queue := m.flight, m.queue
	m.flight, m.queue = nil, nil
	for _, c := range flight {
		m.end(c, Done{Outcome: Unknown, Why: why, Result: r})
	}
	for _, c := range queue {
		m.end(c, Done{Outcome: Refused, Why: why, Result: r})
	}
}

// sendEnd asks the cell to end the session. All other calls are retired, so
// Seen covers them, and after it none of their copies is executed.
func (m *Machine) sendEnd(now time.Time) { m.launch(now, &call{op: api.EndSession{}}) }

// finish makes the machine Over. What was outstanding ends for the reason why;
// closers have what they wanted.
func (m *Machine) finish(why Why, r api.Result) {
	m.state, m.over, m.verdict, m.opener = Over, why, r.Code, nil
	m.abandon(why, r)
	for _, t := range m.closers {
		m.done(Done{Token: t, Outcome: Executed, Why: Closed})
	}
	m.closers = nil
}

// cancelClose takes one closer away, and gives the session up with the last.
func (m *Machine) cancelClose(t Token) {
	i := slices.Index(m.closers, t)
	if i < 0 {
		return
	}
	m.closers = slices.Delete(m.closers, i, i+1)
	m.done(Done{Token: t, Outcome: Unknown, Why: Cancelled})
	if len(m.closers) == 0 {
		m.finish(Closed, api.Result{})
	}
}

// ended says why no call may start any more.
func (m *Machine) ended() Why {
	if m.state == Ending {
		return Closed
	}
	return m.over
}
