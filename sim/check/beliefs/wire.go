package beliefs

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

// Wire is the Runtime of one client: its machine's Runtime, and a witness of all that the
// client sends and receives (sim/conformance/clients). It uses only the client's own clock.
type Wire struct {
	Machine
	Life   *clients.Life
	Client *client.Client
	Kept   time.Duration // true time when an answer last extended the lease by a request sent after healing; 0: never
	KeptIn api.Epoch     // the epoch of the master that answered

	of    *Promises
	bound time.Time // as the client last reported it
	since uint64    // the first request after healing; 0: none
}

// Machine is the Runtime of a simulated machine.
type Machine interface {
	client.Runtime
	Env() *sim.Env
	Go(name string, f func())
}

// newWire returns the Runtime for a client that will be made with cfg.
func newWire(m Machine, cfg client.Config, of *Promises) *Wire {
	w := &Wire{Machine: m, of: of}
	w.Life = clients.New(w.world(), w.Self(), cmp.Or(cfg.Rho, plan.PlainRho), cmp.Or(cfg.Grace, plan.PlainGrace))
	if !cfg.Cache.Off {
		w.Life.KeepsHandles()
	}
	return w
}

func (w *Wire) world() *sim.World { return w.Env().World() }

// Self returns the client's machine.
func (w *Wire) Self() sim.Addr { return w.Env().Self() }

// Dead reports whether the machine's life in which the client began is over.
func (w *Wire) Dead() bool             { return w.Env().Dead() }
func (w *Wire) status() session.Status { return w.Client.Status().Status }

// mono reads the machine's clock without an event in the trace.
func (w *Wire) mono() time.Time { return w.clock().Mono() }

func (w *Wire) clock() *sim.Clock { return w.world().Machine(w.Self()).Clock() }

// LeaseLeft returns for how long the client may count on its lease, by what it has sent and
// received. A value of 0 or less means not at all.
func (w *Wire) LeaseLeft() time.Duration { return w.Life.LeaseLeft(w.mono()) }

// Send passes a request on to the machine, after the checkers.
func (w *Wire) Send(to client.Replica, msg []byte) {
	if q, err := api.DecodeRequest(msg); err == nil && !w.Dead() {
		if w.Life.OnSend(w.mono(), q) {
			w.of.Renewed++
		}
		w.of.beliefs.OnSend(q)
	}
	w.Machine.Send(to, msg)
}

// Receive passes replies on to f, and reports each to the checkers before and after.
func (w *Wire) Receive(f func(from client.Replica, msg []byte)) {
	w.Machine.Receive(func(from client.Replica, msg []byte) {
		p, err := api.DecodeReply(msg)
		if err != nil {
			f(from, msg)
			w.look()
			return
		}
		w.Life.OnReply(w.mono(), p)
		before := w.status()
		f(from, msg)
		w.Life.OnReplyTaken(p, before, w.status())
		w.look()
		w.Life.OnReplyHandled(p, w.status())
	})
}

// OnUnreachable passes reports on to f, and then looks at the client's status.
func (w *Wire) OnUnreachable(f func(replica client.Replica)) {
	w.Machine.OnUnreachable(func(replica client.Replica) {
		f(replica)
		w.look()
	})
}

// AfterFunc calls f after d, as the machine does, and then looks at the client's status.
func (w *Wire) AfterFunc(d time.Duration, f func()) (stop func()) {
	return w.Machine.AfterFunc(d, func() {
		f()
		w.look()
	})
}

// look reads what the client believes now.
func (w *Wire) look() {
	s := w.status()
	w.Life.OnStatus(w.mono(), s)
	if !s.Bound.Equal(w.bound) {
		w.bound = s.Bound
		w.noteKept(w.of.Healed)
		w.of.onClientMoved(w)
	}
}

// noteKept records that the client has kept its session since healing: an answer to a request
// that was sent after healing has extended its lease.
func (w *Wire) noteKept(healed bool) {
	if healed && w.since == 0 {
		w.since = w.Life.LastRequest() + 1
	}
	if by, in, ok := w.Life.LastExtension(); w.since > 0 && by >= w.since && ok {
		w.Kept, w.KeptIn = w.world().Now(), in
	}
}

// takeEvents takes the events of a client as they come.
func (w *Wire) takeEvents(events *client.Events) {
	for {
		e, err := events.Next(context.Background())
		if err != nil {
			return
		}
		w.Life.OnEvent(e)
		if f := w.of.OnEvent; f != nil {
			f(w, e)
		}
	}
}

// Dial makes a client that is watched until hangUp is called.
func (p *Promises) Dial(m Machine, cfg client.Config) (cl *client.Client, hangUp func()) {
	w := newWire(m, cfg, p)
	w.Client = client.New(w, cfg)
	p.Wires = append(p.Wires, w)
	events := w.Client.Events()
	m.Go("events", func() { w.takeEvents(events) })
	return w.Client, events.Close
}
