package sim

import "time"

// A transport that keeps a connection to each machine notices by itself that its messages are lost.
// If a process has ended, the kernel of its machine closes its connections and refuses others;
// connections also break. A machine without power says nothing.

// Connected is a Process with such a transport. OnUnreachable is called when a connection to a
// machine broke or was refused, as often as LinkConfig.Hints lets the process learn of it. It must
// not block.
type Connected interface {
	OnUnreachable(now time.Time, to Addr)
}

// Break breaks the connection on the link: the sender gets a hint that the other end is
// unreachable, though it is not. Messages under way still arrive, as if they had arrived before the
// connection broke.
func (l *Link) Break() {
	l.noteFault("net.break")
	l.hint()
}

// hint tells the sender of the link that its messages are lost, if it keeps a connection on the
// link and nothing holds up the way back.
func (l *Link) hint() {
	l.seek()
	back := l.to.links.to(l.from.addr)
	if e := l.from.env; e == nil || back == nil || back.cuts > 0 || !chance(&l.hints, l.cfg.Hints) {
		return
	} else if _, ok := e.proc.(Connected); !ok {
		return
	}
	l.w.timeline.schedule(back.cfg.Delay.pick(&l.hints)*back.slow, &l.hints, (*brokenLink)(l), uint64(l.from.lives), nil)
}

// brokenLink is the instant at which the sender of the link gets the hint.
type brokenLink Link

func (b *brokenLink) fire(w *World, life uint64, _ *packet) {
	if uint64(b.from.lives) == life {
		w.net.hints++
		b.from.intake.take(input{kind: inHint, from: b.to.addr})
	}
}

// refusesConnections reports whether the machine has power and no process.
func (m *Machine) refusesConnections() bool { return m.env == nil && !m.powerless }

// closeConnections tells all clients that have sent to this life of the machine that the life is
// over.
func (m *Machine) closeConnections() {
	for _, client := range m.w.machines.clients {
		client.links.each(func(l *Link) {
			if l.to == m && l.lives == [2]int{client.lives, m.lives} {
				l.hint()
			}
		})
	}
}
