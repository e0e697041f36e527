package cell

import (
	"cmp"
	"context"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/conformance/clients"
	"github.com/chubbycell/chubby/sim/plan"
)

// wire is the Runtime of one client: its machine's line, and a witness of all that the
// client sends and is sent (sim/conformance/clients): by its own clock, and by no flag.
type wire struct {
	*line
	life    *clients.Life
	minds   *clientWatch
	client  *client.Client
	bound   time.Time     // as it last said
	moved   func()        // is told when that moves
	renewed func()        // is told when another session is asked for
	since   uint64        // the first request after healing; 0: none
	kept    time.Duration // when an answer to a later one moved the bound, in true time; 0: never
	keptIn  api.Epoch     // and whose master said so
}

// newWire is the Runtime for a client that will be made with cfg.
func newWire(l *line, cfg client.Config, b *clientWatch) *wire {
	w := &wire{line: l, minds: b}
	w.life = clients.New(w.world(), w.self(), cmp.Or(cfg.Rho, plan.PlainRho), cmp.Or(cfg.Grace, plan.PlainGrace))
	return w
}

func (w *wire) world() *sim.World      { return w.Env().World() }
func (w *wire) self() sim.Addr         { return w.Env().Self() }
func (w *wire) dead() bool             { return w.Env().Dead() }
func (w *wire) status() session.Status { return w.client.Status().Status }

// mono reads the machine's clock and leaves no mark.
func (w *wire) mono() time.Time { return w.clock().Mono() }

func (w *wire) clock() *sim.Clock { return w.world().Machine(w.self()).Clock() }

// Send is the line's.
func (w *wire) Send(replica uint32, msg []byte) {
	if q, err := api.DecodeRequest(msg); err == nil && !w.dead() {
		if w.life.OnSend(w.mono(), q) {
			w.renewed()
		}
		w.minds.sends(q)
	}
	w.line.Send(replica, msg)
}

// Receive is the line's.
func (w *wire) Receive(f func(from uint32, msg []byte)) {
	w.line.Receive(func(from uint32, msg []byte) {
		p, err := api.DecodeReply(msg)
		if err != nil {
			f(from, msg)
			w.look()
			return
		}
		w.life.OnReply(w.mono(), p)
		before := w.status()
		f(from, msg)
		w.life.OnReplyTaken(p, before, w.status())
		w.look()
		w.life.OnReplyHandled(p, w.status())
	})
}

// AfterFunc is the line's.
func (w *wire) AfterFunc(d time.Duration, f func()) (stop func()) {
	return w.line.AfterFunc(d, func() {
		f()
		w.look()
	})
}

// look asks the client what it believes now.
func (w *wire) look() {
	s := w.status()
	w.life.OnStatus(w.mono(), s)
	if !s.Bound.Equal(w.bound) {
		w.bound = s.Bound
		w.moved()
	}
}

// keeps notes whether the client has kept its session since healing: an answer to
// something that was sent after that has lengthened its lease.
func (w *wire) keeps(healed bool) {
	if healed && w.since == 0 {
		w.since = w.life.LastRequest() + 1
	}
	if by, in, ok := w.life.LastExtension(); w.since > 0 && by >= w.since && ok {
		w.kept, w.keptIn = w.world().Now(), in
	}
}

// listens takes the events of a client as they come.
func (w *wire) listens(events *client.Events) {
	for {
		e, err := events.Next(context.Background())
		if err != nil {
			return
		}
		w.life.OnEvent(e)
	}
}

// dial makes a client that is watched, until it is hung up.
func (c *Cell) dial(l *line, cfg client.Config) (cl *client.Client, hangUp func()) {
	w := newWire(l, cfg, c.minds)
	w.moved = func() {
		w.keeps(c.healed)
		c.promises.clientMoved(w)
	}
	w.renewed = func() { c.load.sessions, c.load.followed = c.load.sessions+1, c.load.followed+1 }
	w.client = client.New(w, cfg)
	c.promises.begins(w)
	events := w.client.Events()
	l.Go("events", func() { w.listens(events) })
	return w.client, events.Close
}

// turns are those of a handle that programs share, or may; nil where none do.
func (p *program) turns(o *opened) *clients.LockQueue {
	w := p.cell.promises.of(p.client)
	if w == nil || p.cell.plan.Calls.Share == 0 {
		return nil
	}
	return w.life.LockQueue(o.h)
}
