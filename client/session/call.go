package session

import (
	"cmp"
	"slices"
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// call is one op: queued, or sent and waiting for its answer.
type call struct {
	token Token // 0: a call of the machine, or one that its caller has cancelled
	op    api.Op
	seq   api.Seq

	// id, to, sentAt and epoch describe the newest sending. id is 0 if that one was refused:
	// the call then waits until due, and a duplicate of the refusal matches nothing.
	id     uint64
	to     uint32
	sentAt time.Time
	epoch  api.Epoch
	due    time.Time // when to send again
	// covered is the AckedThrough of its first sending
	covered api.Seq

	missed        int  // answers that did not come in time
	refused       int  // consecutive refusals
	masterRefused bool // the last refusal came from the master: the call is sent to it again
	emptyAnswers  int  // KeepAlives in a row that were answered at once without news
	hints         int  // hints followed at once since the last pause

	heldByMaster bool      // a KeepAlive that the master is asked to hold: a missing answer means nothing
	parked       bool      // an Acquire that waits at the master
	withdrawn    bool      // an Acquire that is being cancelled: its answers are ignored
	granted      bool      // a withdrawn Acquire that the master has answered with the lock
	lostGrants   int       // how often that has happened to it
	stays        time.Time // a parked Acquire is not withdrawn for the window before this
	cancelTarget *call     // of a CancelAcquire: the Acquire that it cancels
	relaunched   bool      // it was sent before, under another Seq, and withdrawn or refused
	waits        bool      // an Acquire that waits for its lock, even if it is sent as one that does not
	ticket       uint64    // place in the queue
	tries        int       // how often it found its lock taken when sent as an Acquire that does not wait
	retryAt      time.Time // a queued one is retried then
	handleClosed bool      // its handle is closed: it is not sent to a later master
	mayCache     bool      // its caller would keep the answer
	loose        Token     // of an Open that was cancelled: its token before
}

// send sends c to the replica that the machine takes for the master.
func (m *Machine) send(now time.Time, c *call) {
	m.lastID++
	c.id, c.to, c.sentAt, c.epoch = m.lastID, m.route.target(), now, m.epoch
	if c == m.keep {
		c.to = m.keepAliveTarget()
	}
	c.due = now.Add(m.cfg.pause(m.cfg.AnswerWait, c.missed))
	m.out.Send = append(m.out.Send, Envelope{To: c.to, Request: m.request(now, c)})
}

func (m *Machine) request(now time.Time, c *call) api.Request {
	switch c {
	case m.opener:
		return api.Request{ID: c.id, Op: c.op}
	case m.keep:
		q := api.Request{ID: c.id, Session: m.session, Epoch: m.epoch}
		if m.quiet < m.epoch && m.lease.state != NoLease { // without leases all would be refused
			q.AckedThrough = m.ackedThrough()
		}
		q.Op = m.nextKeepAlive(now, c, q.AckedThrough > 0)
		return q
	}
	return api.Request{ID: c.id, Session: m.session, Seq: c.seq, AckedThrough: m.ackedThrough(), Epoch: m.epoch,
		MayCache: c.mayCache && m.lease.state == Valid, Op: c.op}
}

// resend sends c again because it is due. The machine leaves a target that has answered nothing
// since the sending, and one that keeps refusing, which may be a deposed master that does not know
// it. It stays if the target has refused as the master.
func (m *Machine) resend(now time.Time, c *call) {
	if c.id != 0 {
		c.missed++
		if !c.heldByMaster {
			m.route.onTimeout(c.to, c.sentAt)
			if c == m.keep {
				m.forgetLeaseMaster(c.to)
			}
		}
	} else if c.refused > 0 && c.refused%maxRefusals == 0 && !c.masterRefused {
		m.route.leave(c.to)
	}
	c.hints = 0
	m.send(now, c)
}

// maxRefusals is how many refusals of one call the machine accepts from a target.
const maxRefusals = 4

// resendDue resends the calls that are due.
func (m *Machine) resendDue(now time.Time) {
	for _, c := range m.flight {
		if m.canSend(c) && !c.due.After(now) {
			m.resend(now, c)
		}
	}
}

// launch assigns c its Seq and sends it for the first time.
func (m *Machine) launch(now time.Time, c *call) {
	c.seq = m.next
	m.next++
	m.flight = append(m.flight, c)
	c.covered = m.ackedThrough()
	if c.token != 0 {
		m.out.Launched = append(m.out.Launched, Launch{Token: c.token, Session: m.session, Seq: c.seq})
	}
	m.send(now, c)
}

// ackedThrough is the highest Seq up to which the client waits for no call.
func (m *Machine) ackedThrough() api.Seq {
	if len(m.flight) > 0 {
		return m.flight[0].seq - 1
	}
	return m.next - 1
}

// find returns the call that was sent as seq, or nil if it has ended.
func (m *Machine) find(seq api.Seq) *call {
	i, ok := slices.BinarySearchFunc(m.flight, seq, func(c *call, s api.Seq) int { return cmp.Compare(c.seq, s) })
	if !ok {
		return nil
	}
	return m.flight[i]
}

// removeFlight ends the flight of c; AckedThrough may cover it from now on.
func (m *Machine) removeFlight(c *call) {
	m.flight = slices.DeleteFunc(m.flight, func(f *call) bool { return f == c })
}

// report reports how a call of the caller ended, or withholds the Done during jeopardy.
func (m *Machine) report(c *call, d Done) {
	if c.token == 0 {
		return
	}
	d.Token = c.token
	if m.canExchange() {
		m.emitDone(d)
	} else {
		d.Cacheable = false
		m.withheld = append(m.withheld, d)
	}
}

// reportWithheld reports the withheld Dones.
func (m *Machine) reportWithheld() {
	m.out.Done = append(m.out.Done, m.withheld...)
	m.withheld = nil
}

// endCalls ends all calls: withheld ones with their answer, sent ones Unknown, queued ones
// Refused.
func (m *Machine) endCalls(why Why, r api.Result) {
	m.reportWithheld()
	flight, queue := m.flight, m.queue
	m.flight, m.queue, m.cleanup = nil, nil, nil
	for _, c := range flight {
		if c.token != 0 {
			m.emitDone(Done{Token: c.token, Outcome: Unknown, Why: why, Result: r})
		}
	}
	for _, c := range queue {
		if c.token != 0 {
			m.emitDone(Done{Token: c.token, Outcome: c.unsentOutcome(), Why: why, Result: r})
		}
	}
}

// unsentOutcome is the outcome of a queued call that will not be sent.
func (c *call) unsentOutcome() Outcome {
	if c.relaunched {
		return Unknown
	}
	return Refused
}

// sendEnd asks the cell to end the session. All other calls have ended, so AckedThrough covers
// them, and none of their duplicates is executed afterwards.
func (m *Machine) sendEnd(now time.Time) { m.launch(now, &call{op: api.EndSession{}}) }

// finish makes the machine Over. Outstanding calls end with the reason why; Closes end
// Executed.
func (m *Machine) finish(why Why, r api.Result) {
	m.reportWithheld()
	if why == Expired {
		m.emitEvent(Event{Kind: EventExpired})
	}
	m.state, m.why, m.endCode = Over, why, r.Code
	m.opener, m.keep, m.keepsSent, m.notice = nil, nil, nil, failoverNotice{}
	m.endCalls(why, r)
	for _, t := range m.closeTokens {
		m.emitDone(Done{Token: t, Outcome: Executed, Why: Closed})
	}
	m.closeTokens = nil
}

// endReason returns why no call may start any more.
func (m *Machine) endReason() Why {
	if m.state == Ending {
		return Closed
	}
	return m.why
}
