package session

import (
	"cmp"
	"slices"
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// call is one op on its way: in the queue, or sent and waited for.
type call struct {
	token Token // 0 for the machine's own, and for what its caller has given up
	op    api.Op
	seq   api.Seq

	// id, to, sentAt and epoch are of the newest sending. id is 0 when that one was
	// refused: the call then waits for due, and a duplicate of the refusal
	// meets nothing.
	id     uint64
	to     uint32
	sentAt time.Time
	epoch  api.Epoch
	due    time.Time // when to send again

	missed  int  // answers that did not come in time
	refused int  // refusals
	later   bool // the last one came from the master: it is to be asked again, and nobody else
	vain    int  // KeepAlives in a row that were answered at once and brought nothing
	hops    int  // hints followed at once since the last pause

	held      bool  // a KeepAlive that the master is to hold: that it is silent says nothing
	parked    bool  // an Acquire that waits at the master
	withdrawn bool  // an Acquire that is being cancelled: whatever answers it is void
	cancels   *call // the Acquire that this CancelAcquire is about
	again     bool  // it was sent under another Seq, and withdrawn
	shut      bool  // its handle is closed: no later master may hear of it
}

// send sends c, to the replica taken for the master.
func (m *Machine) send(now time.Time, c *call) {
	m.lastID++
	c.id, c.to, c.sentAt, c.epoch = m.lastID, m.route.target(), now, m.epoch
	if c == m.keep {
		c.to = m.keeps()
	}
	c.due = now.Add(m.cfg.pause(m.cfg.AnswerWait, c.missed))
	m.out.Send = append(m.out.Send, Envelope{To: c.to, Request: m.request(now, c)})
}

func (m *Machine) request(now time.Time, c *call) api.Request {
	switch c {
	case m.opener:
		return api.Request{ID: c.id, Op: c.op}
	case m.keep:
		return api.Request{ID: c.id, Session: m.session, Epoch: m.epoch, Op: m.beat(now, c)}
	}
	return api.Request{ID: c.id, Session: m.session, Seq: c.seq, Seen: m.seen(), Epoch: m.epoch, Op: c.op}
}

// resend sends c once more because its time has come. A target that has
// answered nothing since the sending is left, and so is one that keeps refusing:
// it may be a master that was deposed and does not know; unless it says that it does.
func (m *Machine) resend(now time.Time, c *call) {
	if c.id != 0 {
		c.missed++
		if !c.held {
			m.route.silent(c.to, c.sentAt)
			if c == m.keep {
				m.forsaken(c.to)
			}
		}
	} else if c.refused > 0 && c.refused%patience == 0 && !c.later {
		m.route.leave(c.to)
	}
	c.hops = 0
	m.send(now, c)
}

// patience is how many refusals of one call a target may give.
const patience = 4

// resendDue sends again what has waited long enough.
func (m *Machine) resendDue(now time.Time) {
	for _, c := range m.flight {
		if m.goes(c) && !c.due.After(now) {
			m.resend(now, c)
		}
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

// land takes c out of flight; Seen may pass it from now on.
func (m *Machine) land(c *call) {
	m.flight = slices.DeleteFunc(m.flight, func(f *call) bool { return f == c })
}

// end says how a call of the caller's ended, as soon as answers may be told.
func (m *Machine) end(c *call, d Done) {
	if c.token == 0 {
		return
	}
	d.Token = c.token
	if m.flows() {
		m.done(d)
	} else {
		m.kept = append(m.kept, d)
	}
}

// deliver tells the answers that were kept.
func (m *Machine) deliver() {
	m.out.Done = append(m.out.Done, m.kept...)
	m.kept = nil
}

// abandon ends all calls: those that have their answer with it, those that were
// sent are Unknown, the others Refused.
func (m *Machine) abandon(why Why, r api.Result) {
	m.deliver()
	flight, queue := m.flight, m.queue
	m.flight, m.queue, m.tidy = nil, nil, nil
	for _, c := range flight {
		if c.token != 0 {
			m.done(Done{Token: c.token, Outcome: Unknown, Why: why, Result: r})
		}
	}
	for _, c := range queue {
		if c.token != 0 {
			m.done(Done{Token: c.token, Outcome: c.unsent(), Why: why, Result: r})
		}
	}
}

// unsent is the outcome of a call in the queue that goes no further.
func (c *call) unsent() Outcome {
	if c.again {
		return Unknown
	}
	return Refused
}

// sendEnd asks the cell to end the session. All other calls have ended, so
// Seen covers them, and after it none of their copies is executed.
func (m *Machine) sendEnd(now time.Time) { m.launch(now, &call{op: api.EndSession{}}) }

// finish makes the machine Over. What was outstanding ends for the reason why;
// closers have what they wanted.
func (m *Machine) finish(why Why, r api.Result) {
	m.deliver()
	if why == Expired {
		m.tell(Event{Kind: EventExpired})
	}
	m.state, m.over, m.verdict = Over, why, r.Code
	m.opener, m.keep, m.beats, m.notice = nil, nil, nil, notice{}
	m.abandon(why, r)
	for _, t := range m.closers {
		m.done(Done{Token: t, Outcome: Executed, Why: Closed})
	}
	m.closers = nil
}

// ended says why no call may start any more.
func (m *Machine) ended() Why {
	if m.state == Ending {
		return Closed
	}
	return m.over
}
