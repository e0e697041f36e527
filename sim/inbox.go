package sim

import "time"

type inputKind uint8

const (
	inNone inputKind = iota
	inStart
	inMessage
	inWake
	inResume // a coroutine goes on
	inPost   // Env.Post
	inTimer  // AfterFunc
	inStop
)

// input is an input of a process. While the process is paused, its inputs wait in
// the order in which they came.
type input struct {
	kind inputKind
	from Addr
	p    *packet
	co   *coroutine
	t    *alarm
	fn   func(now time.Time)
	arg  uint64
}

// inbox is a queue of inputs in a ring.
type inbox struct {
	ring []input
	head int
	n    int
}

func (q *inbox) len() int { return q.n }

func (q *inbox) push(in input) {
	if q.n == len(q.ring) {
		ring := make([]input, max(8, 2*q.n))
		for i := range q.n {
			ring[i] = q.ring[(q.head+i)%len(q.ring)]
		}
		q.ring, q.head = ring, 0
	}
	q.ring[(q.head+q.n)%len(q.ring)] = in
	q.n++
}

func (q *inbox) pop() input {
	in := q.ring[q.head]
	q.ring[q.head] = input{}
	q.head = (q.head + 1) % len(q.ring)
	q.n--
	return in
}

// arrive is a message at the end of its link.
func (m *Machine) arrive(from Addr, p *packet) {
	net := &m.w.net
	switch {
	case m.env == nil:
		net.down++
		net.release(p)
	case m.room == 0:
		net.overflow++
		net.release(p)
	default:
		net.delivered++
		m.room--
		m.take(input{kind: inMessage, from: from, p: p})
	}
}

// take hands an input to the process, or lets it wait.
func (m *Machine) take(in input) {
	if m.env == nil {
		return
	}
	if m.pauses > 0 || m.busy || m.held.kind != inNone || m.inbox.n > 0 {
		m.inbox.push(in)
		return
	}
	m.handle(in)
}

// drainSoon lets the process take what waits, by an event at this instant.
func (m *Machine) drainSoon() {
	m.w.timeline.schedule(0, &m.ties, (*drain)(m), uint64(m.lives), nil)
}

// drain is the event at which a machine may go on with its inbox.
type drain Machine

func (d *drain) fire(_ *World, life uint64, _ *packet) {
	m := (*Machine)(d)
	if m.env == nil || uint64(m.lives) != life {
		return
	}
	m.isDraining = true
	for m.env != nil && m.pauses == 0 && !m.busy && m.drainOne() {
	}
	m.isDraining = false
}

// drainOne lets the process take one input that waits; false: none does.
func (m *Machine) drainOne() bool {
	switch {
	case m.held.kind != inNone:
		in := m.held
		m.held = input{}
		m.call(in, m.heldNow)
	case m.inbox.n > 0:
		m.handle(m.inbox.pop())
	default:
		return false
	}
	return true
}

// idle ends the busy time of a slow machine.
type idle Machine

func (i *idle) fire(w *World, life uint64, p *packet) {
	m := (*Machine)(i)
	if uint64(m.lives) != life {
		return
	}
	m.busy = false
	(*drain)(m).fire(w, life, p)
}

// handle reads the clock, after the input was taken from its queue, and calls
// the process; a pause may fall between the two.
func (m *Machine) handle(in input) {
	if in.kind == inResume {
		if in.co.isParkedAt(in.arg) {
			m.w.coroutines.resume(in.co)
			m.work()
		}
		return
	}
	now := m.read()
	if m.readPause > 0 {
		d := m.readPause
		m.readPause, m.held, m.heldNow = 0, in, now
		m.PauseFor(d)
		return
	}
	m.call(in, now)
}

// call is the only place that calls the methods of a process.
func (m *Machine) call(in input, now time.Time) {
	w, e := m.w, m.env
	prev := w.cur
	w.cur = m
	switch in.kind {
	case inMessage:
		if w.trace.wants(m.addr) {
			w.trace.line(m.addr, "receive", "<- "+in.from.String()+" "+w.trace.describe(in.from, m.addr, in.p.data))
		}
		m.room++
		e.proc.Receive(now, in.from, in.p.data)
		w.net.release(in.p)
	case inWake:
		e.proc.Wake(now)
	case inPost:
		in.fn(now)
	case inTimer:
		in.t.ring(now)
	case inStart:
		e.proc.Start(e)
	case inStop:
		e.proc.(Stopper).Stop(now)
	}
	w.cur = prev
	w.contexts.mayHaveEnded = w.contexts.mayHaveEnded || e.program
	m.work()
}

// work keeps a slow machine busy after an input.
func (m *Machine) work() {
	if m.cost == 0 || m.env == nil {
		return
	}
	m.busy = true
	m.w.timeline.schedule(m.cost, &m.ties, (*idle)(m), uint64(m.lives), nil)
}

// read reads the machine's clock for its process.
func (m *Machine) read() time.Time {
	local := m.clock.line.local(m.w.timeline.now)
	m.w.hash.fold(markClock<<60 ^ uint64(local))
	return instant(local)
}
