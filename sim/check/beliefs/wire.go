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

// Wire is the Runtime of one client: that of its machine, and a witness of all that the
// client sends and is sent (sim/conformance/clients): by its own clock, and by no flag.
type Wire struct {
	Machine
	Life   *clients.Life
	Client *client.Client
	Kept   time.Duration // when an answer moved the bound to what was sent after healing, in true time; 0: never
	KeptIn api.Epoch     // and whose master said so

	of    *Promises
	bound time.Time // as it last said
	since uint64    // the first request after healing; 0: none
}

// Machine is the Runtime of a simulated machine.
type Machine interface {
	client.Runtime
	Env() *sim.Env
	Go(name string, f func())
}

// newWire is the Runtime for a client that will be made with cfg.
func newWire(m Machine, cfg client.Config, of *Promises) *Wire {
	w := &Wire{Machine: m, of: of}
	w.Life = clients.New(w.world(), w.Self(), cmp.Or(cfg.Rho, plan.PlainRho), cmp.Or(cfg.Grace, plan.PlainGrace))
	if !cfg.Cache.Off {
		w.Life.KeepsHandles()
	}
	return w
}

func (w *Wire) world() *sim.World { return w.Env().World() }

// Self is the client's machine.
func (w *Wire) Self() sim.Addr { return w.Env().Self() }

// Dead says that the life of the machine is over in which the client began.
func (w *Wire) Dead() bool             { return w.Env().Dead() }
func (w *Wire) status() session.Status { return w.Client.Status().Status }

// mono reads the machine's clock and leaves no mark.
func (w *Wire) mono() time.Time { return w.clock().Mono() }

func (w *Wire) clock() *sim.Clock { return w.world().Machine(w.Self()).Clock() }

// LeaseLeft is for how long the client may count on its lease, by what it has sent and was sent: no
// client may count on more. It is not above 0 where it may not.
func (w *Wire) LeaseLeft() time.Duration { return w.Life.LeaseLeft(w.mono()) }

// Send is the machine's.
func (w *Wire) Send(replica uint32, msg []byte) {
	if q, err := api.DecodeRequest(msg); err == nil && !w.Dead() {
		if w.Life.OnSend(w.mono(), q) {
			w.of.Renewed++
		}
		w.of.minds.OnSend(q)
	}
	w.Machine.Send(replica, msg)
}

// Receive is the machine's.
func (w *Wire) Receive(f func(from uint32, msg []byte)) {
	w.Machine.Receive(func(from uint32, msg []byte) {
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

// OnUnreachable is the machine's.
func (w *Wire) OnUnreachable(f func(replica uint32)) {
	w.Machine.OnUnreachable(func(replica uint32) {
		f(replica)
		w.look()
	})
}

// AfterFunc is the machine's.
func (w *Wire) AfterFunc(d time.Duration, f func()) (stop func()) {
	return w.Machine.AfterFunc(d, func() {
		f()
		w.look()
	})
}

// look asks the client what it believes now.
func (w *Wire) look() {
	s := w.status()
	w.Life.OnStatus(w.mono(), s)
	if !s.Bound.Equal(w.bound) {
		w.bound = s.Bound
		w.keeps(w.of.Healed)
		w.of.clientMoved(w)
	}
}

// keeps notes whether the client has kept its session since healing: an answer to
// something that was sent after that has lengthened its lease.
func (w *Wire) keeps(healed bool) {
	if healed && w.since == 0 {
		w.since = w.Life.LastRequest() + 1
	}
	if by, in, ok := w.Life.LastExtension(); w.since > 0 && by >= w.since && ok {
		w.Kept, w.KeptIn = w.world().Now(), in
	}
}

// listens takes the events of a client as they come.
func (w *Wire) listens(events *client.Events) {
	for {
		e, err := events.Next(context.Background())
		if err != nil {
			return
		}
		w.Life.OnEvent(e)
	}
}

// Dial makes a client that is watched, until it is hung up.
func (p *Promises) Dial(m Machine, cfg client.Config) (cl *client.Client, hangUp func()) {
	w := newWire(m, cfg, p)
	w.Client = client.New(w, cfg)
	p.Wires = append(p.Wires, w)
	events := w.Client.Events()
	m.Go("events", func() { w.listens(events) })
	return w.Client, events.Close
}
