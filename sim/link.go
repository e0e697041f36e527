package sim

import (
	"fmt"

	"github.com/chubbycell/chubby/internal/draw"
)

// LinkConfig is the behaviour of a directed link without cuts, clogs and slowness. The zero value
// delivers everything at once.
type LinkConfig struct {
	Delay Table // one way
	// Late is added to Delay for overtaken messages and for the second copy of duplicated ones. A
	// long tail here is what delivers messages to the next life of a crashed receiver.
	Late Table
	// Chances in parts per million, for each message.
	Loss, Duplicate, Reorder uint32
	// Hints is the chance in parts per million that the sender learns that its connection broke or
	// was refused (Connected). It applies to links from clients to replicas.
	Hints uint32
}

func (c LinkConfig) check() {
	c.Delay.check("LinkConfig.Delay")
	c.Late.check("LinkConfig.Late")
}

// Link is one direction between two machines. Messages arrive in the order in which they were sent
// unless they are chosen for reordering. A message that is under way when a machine at either end
// crashes is delivered to the life that runs when it arrives. There are no simulated connections,
// only hints that one is broken (hint.go).
type Link struct {
	w        *World
	from, to *Machine
	cfg      LinkConfig
	slow     int64 // factor on delays
	cuts     int   // how many cuts are in force
	clogs    int   // how many clogs are in force
	held     []*packet
	last     int64  // when the latest message in order arrives
	lives    [2]int // of sender and receiver, at the last send

	loss, dup, order, delay, late, ties, hints draw.Stream

	sought int64 // the instant of the last draws; see seek
}

func newLink(w *World, from, to *Machine) *Link {
	l := &Link{w: w, from: from, to: to, cfg: w.net.def, slow: 1}
	id := uint64(from.addr)<<32 | uint64(to.addr)
	l.loss = w.links.Stream("link.loss", id)
	l.dup = w.links.Stream("link.duplicate", id)
	l.order = w.links.Stream("link.reorder", id)
	l.delay = w.links.Stream("link.delay", id)
	l.late = w.links.Stream("link.late", id)
	l.ties = w.links.Stream("link.tie", id)
	l.hints = w.links.Stream("link.hints", id)
	return l
}

// seek has the next draws depend on the present instant, in a world whose draws do.
func (l *Link) seek() {
	seek(l.w, &l.sought, &l.loss, &l.dup, &l.order, &l.delay, &l.late, &l.ties, &l.hints)
}

// Set changes the behaviour of the link. Messages under way are not affected.
func (l *Link) Set(c LinkConfig) {
	c.check()
	l.cfg = c
}

// Config returns the configuration that Set put in force.
func (l *Link) Config() LinkConfig { return l.cfg }

// Cut loses messages that are sent, and messages that would arrive, until Mend. Cuts of several
// faults add up; the link works again once each has been mended.
func (l *Link) Cut() {
	l.cuts++
	l.noteFault("net.cut")
}

// Mend undoes one Cut.
func (l *Link) Mend() {
	l.cuts = max(l.cuts-1, 0)
	l.noteFault("net.mend")
}

// Clog holds back messages that are sent, and messages that would arrive, until Release. Like cuts,
// clogs add up.
func (l *Link) Clog() {
	l.clogs++
	l.noteFault("net.clog")
}

// Release undoes one Clog. After the last one, all held messages continue in the order in which
// they came.
func (l *Link) Release() {
	l.clogs = max(l.clogs-1, 0)
	l.noteFault("net.release")
	if l.clogs > 0 {
		return
	}
	l.seek()
	held := l.held
	l.held = nil
	for _, p := range held {
		l.inOrder(p, 0)
	}
}

// Slow multiplies the delays of the link by factor, at least 1; 1 is normal.
func (l *Link) Slow(factor int64) {
	l.slow = max(factor, 1)
	l.noteFault("net.slow")
}

func (l *Link) noteFault(kind string) {
	l.w.Fault(l.from.addr, kind, uint64(l.to.addr))
}

// send puts a message on the link. It copies the bytes.
func (l *Link) send(data []byte) {
	w := l.w
	l.seek()
	w.net.sent++
	l.lives = [2]int{l.from.lives, l.to.lives}
	w.hash.fold(markSend<<60 ^ uint64(l.from.addr)<<32 ^ uint64(l.to.addr))
	w.hash.bytes(data)
	if w.trace.wants(l.from.addr) {
		w.trace.line(l.from.addr, "send", fmt.Sprintf("-> %s %s", l.to.addr, w.trace.describe(l.from.addr, l.to.addr, data)))
	}
	switch {
	case l.cuts > 0:
		w.net.cut++
	case chance(&l.loss, l.cfg.Loss):
		w.net.lost++
		w.Tracef(l.from.addr, "lost", "-> %s", l.to.addr)
	default:
		l.carry(w.net.packet(data))
		if chance(&l.dup, l.cfg.Duplicate) {
			w.net.duplicated++
			l.outOfOrder(w.net.packet(data))
		}
	}
}

// Echo delivers a copy of a message that was sent on this link at any earlier time: a network may
// duplicate and delay. It is for faults that wait for a moment.
func (l *Link) Echo(data []byte) {
	l.seek()
	l.w.net.duplicated++
	l.w.Tracef(l.from.addr, "echoed", "-> %s", l.to.addr)
	l.w.timeline.schedule(l.cfg.Delay.pick(&l.delay)*l.slow, &l.ties, l, 0, l.w.net.packet(data))
}

func (l *Link) carry(p *packet) {
	switch {
	case l.clogs > 0:
		l.held = append(l.held, p)
	case chance(&l.order, l.cfg.Reorder):
		l.w.net.reordered++
		l.outOfOrder(p)
	default:
		l.inOrder(p, l.cfg.Delay.pick(&l.delay)*l.slow)
	}
}

// inOrder delivers p after delay, but not before the messages that went in order earlier.
func (l *Link) inOrder(p *packet, delay int64) {
	w := l.w
	at := max(w.timeline.now+delay, l.last+1)
	l.last = at
	w.timeline.schedule(at-w.timeline.now, &l.ties, l, 0, p)
}

// outOfOrder delivers p regardless of other messages.
func (l *Link) outOfOrder(p *packet) {
	delay := l.cfg.Delay.pick(&l.delay)*l.slow + l.cfg.Late.pick(&l.late)
	l.w.timeline.schedule(delay, &l.ties, l, 0, p)
}

// fire is the arrival of p.
func (l *Link) fire(w *World, _ uint64, p *packet) {
	switch {
	case l.cuts > 0:
		w.net.cut++
		w.net.release(p)
	case l.clogs > 0:
		l.held = append(l.held, p)
	default:
		w.hash.fold(markDeliver<<60 ^ uint64(l.from.addr)<<32 ^ uint64(l.to.addr))
		w.hash.bytes(p.data)
		if l.to.refusesConnections() {
			l.hint()
		}
		l.to.intake.arrive(l.from.addr, p)
	}
}

// chance is true n times in a million; it draws nothing if n is 0.
func chance(s *draw.Stream, n uint32) bool {
	return n > 0 && s.N(million) < uint64(n)
}
