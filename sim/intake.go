package sim

import "time"

// intake passes inputs to the process of a machine one at a time and in the order in which they
// came: at once if possible, otherwise after a pause or a busy time.
type intake struct {
	m          *Machine
	inbox      inbox
	room       int  // how many more messages the inbox takes
	isDraining bool // the inbox is being emptied: no event need be scheduled for it

	pauses    int  // how many pauses are in force
	busy      bool // a slow machine is working on its latest input
	cost      int64
	readPause time.Duration // pause between reading the clock and the next call
	held      input         // the input that waits in such a pause
	heldNow   time.Time
}

// arrive is a message at the end of its link.
func (k *intake) arrive(from Addr, p *packet) {
	net := &k.m.w.net
	switch {
	case k.m.env == nil:
		net.down++
		net.release(p)
	case k.room == 0:
		net.overflow++
		net.release(p)
	default:
		net.delivered++
		k.room--
		k.take(input{kind: inMessage, from: from, p: p})
	}
}

// take passes an input to the process, or lets it wait.
func (k *intake) take(in input) {
	if k.m.env == nil {
		return
	}
	if k.pauses > 0 || k.busy || k.held.kind != inNone || k.inbox.n > 0 {
		k.inbox.push(in)
		return
	}
	k.handle(in)
}

// drainSoon passes the waiting inputs to the process, by an event at this instant.
func (k *intake) drainSoon() {
	k.m.w.timeline.schedule(0, &k.m.ties, (*drain)(k), uint64(k.m.lives), nil)
}

// drain is the event at which a machine may continue with its inbox.
type drain intake

func (d *drain) fire(_ *World, life uint64, _ *packet) {
	k := (*intake)(d)
	if k.m.env == nil || uint64(k.m.lives) != life {
		return
	}
	k.isDraining = true
	for k.m.env != nil && k.pauses == 0 && !k.busy && k.drainOne() {
	}
	k.isDraining = false
}

// drainOne passes one waiting input to the process; false: there is none.
func (k *intake) drainOne() bool {
	switch {
	case k.held.kind != inNone:
		in := k.held
		k.held = input{}
		k.call(in, k.heldNow)
	case k.inbox.n > 0:
		k.handle(k.inbox.pop())
	default:
		return false
	}
	return true
}

// idle ends the busy time of a slow machine.
type idle intake

func (i *idle) fire(w *World, life uint64, p *packet) {
	k := (*intake)(i)
	if uint64(k.m.lives) != life {
		return
	}
	k.busy = false
	(*drain)(k).fire(w, life, p)
}

// handle reads the clock after the input was taken from its queue, and calls the process. A pause
// may fall between the two.
func (k *intake) handle(in input) {
	if in.kind == inResume {
		if in.co.isParkedAt(in.arg) {
			k.m.w.coroutines.resume(in.co)
			k.work()
		}
		return
	}
	now := k.m.clock.read()
	if k.readPause > 0 {
		d := k.readPause
		k.readPause, k.held, k.heldNow = 0, in, now
		k.m.PauseFor(d)
		return
	}
	k.call(in, now)
}

// call is the only place that calls the methods of a process.
func (k *intake) call(in input, now time.Time) {
	m := k.m
	w, e := m.w, m.env
	prev := w.cur
	w.cur = m
	switch in.kind {
	case inMessage:
		if w.trace.wants(m.addr) {
			w.trace.line(m.addr, "receive", "<- "+in.from.String()+" "+w.trace.describe(in.from, m.addr, in.p.data))
		}
		k.room++
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
	case inHint:
		w.Tracef(m.addr, "unreachable", "-> %s", in.from)
		e.proc.(Connected).OnUnreachable(now, in.from)
	}
	w.cur = prev
	w.contexts.mayHaveEnded = w.contexts.mayHaveEnded || e.program
	k.work()
}

// work keeps a slow machine busy after an input.
func (k *intake) work() {
	if k.cost == 0 || k.m.env == nil {
		return
	}
	k.busy = true
	k.m.w.timeline.schedule(k.cost, &k.m.ties, (*idle)(k), uint64(k.m.lives), nil)
}

// post queues an input of the process itself.
func (k *intake) post(in input) {
	if k.inbox.n == 0 && !k.isDraining {
		k.drainSoon()
	}
	k.inbox.push(in)
}

// clear drops what waits at the end of a life.
func (k *intake) clear() {
	for k.inbox.len() > 0 {
		k.discard(k.inbox.pop())
	}
	k.discard(k.held)
	k.held, k.readPause, k.busy, k.isDraining = input{}, 0, false, false
}

// discard drops an input that no life takes.
func (k *intake) discard(in input) {
	if in.kind == inMessage {
		k.room++
		k.m.w.net.release(in.p)
	}
}
