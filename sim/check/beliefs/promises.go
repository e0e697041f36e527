package beliefs

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/check/agreement"
	"github.com/chubbycell/chubby/sim/check/leases"
	"github.com/chubbycell/chubby/sim/check/sessions"
)

// Promises compares what clients count on with what the present master has
// promised, in true time (S11): a client's bound never comes after the end of its
// lease. Both are readings of clocks, and are compared as if these went on as they
// run now, which is within their bound. It looks whenever one of the two moves.
type Promises struct {
	Loose   bool // clocks may err by more than any machine was told
	Healed  bool // all faults are over
	Renewed int  // sessions that clients began where one had ended
	Wires   []*Wire

	world   *sim.World
	minds   *Checker
	seats   *sessions.Checker
	parties []leases.Party // by replica
	log     *agreement.Epochs
}

// NewPromises is a checker that knows no client. What clients believe it tells minds; the
// masters' word it takes from seats, the epoch of the log from log, and whether a replica
// lives from parties, by replica.
func NewPromises(w *sim.World, minds *Checker, seats *sessions.Checker, parties []leases.Party, log *agreement.Epochs) *Promises {
	return &Promises{world: w, minds: minds, seats: seats, parties: parties, log: log}
}

// Counts is until when, in true time, a client counts on its session; ok is false
// where it does not.
func (w *Wire) Counts() (until time.Duration, ok bool) {
	s := w.Client.Status()
	if w.Dead() || s.Lease != session.Valid || s.State != session.Open || !w.mono().Before(s.Bound) {
		return 0, false
	}
	return w.clock().TrueTime(s.Bound), true
}

// clientMoved is told that a client counts on its session for longer.
func (p *Promises) clientMoved(w *Wire) {
	seats := p.seats.Seats
	for id := range seats {
		if t := &seats[id]; t.Of != nil && t.Epoch == p.log.Highest && p.Lives(id, t.Of) {
			if m, ok := t.Of.Session(w.Life.Session()); ok {
				p.compare(w, paxos.NodeID(id), m.Lease)
			}
		}
	}
}

// Lives says that a replica's life has not ended, and its clock with it.
func (p *Promises) Lives(id int, of sessions.Presider) bool {
	n, ok := p.parties[id].Believes().(*core.Replica)
	return ok && of == sessions.Presider(sessions.Presiding{Replica: n})
}

// OnLease is told that a master has set a lease.
func (p *Promises) OnLease(id paxos.NodeID, s api.SessionID, lease time.Time) {
	p.Wires = slices.DeleteFunc(p.Wires, (*Wire).Dead)
	if p.seats.Seats[id].Epoch != p.log.Highest {
		return
	}
	for _, w := range p.Wires {
		if w.Life.Session() == s {
			p.compare(w, id, lease)
		}
	}
}

func (p *Promises) compare(w *Wire, id paxos.NodeID, lease time.Time) {
	until, ok := w.Counts()
	if p.Loose || !ok {
		return
	}
	if end := p.parties[id].Clock().TrueTime(lease); end < until {
		p.world.Break("S11", "the client on %v counts on session %d for %v after its lease ends at replica %d", w.Self(), w.Life.Session(), until-end, id)
	}
}

// OnCommand is told of each command as it is first applied anywhere: a session does
// not end that its client has kept at this very master since all faults are over,
// unless it may be idle. To come in the last milliseconds of the lease that the
// master took over, and to be told of the fail-over, is not to keep it.
func (p *Promises) OnCommand(a *command.Applied) {
	c, expires := a.Command.(command.Expire)
	if !expires || a.Verdict != command.Executed || a.Result.Code != api.OK || !p.Healed || p.seats.Config.IdleAfter > 0 {
		return
	}
	for _, w := range p.Wires {
		if !w.Dead() && w.Kept > 0 && w.Life.Session() == c.Session && w.KeptIn == c.Guard && w.Client.Status().State == session.Open {
			p.world.Break("S11", "session %d is ended in epoch %d after healing, and its client on %v has kept it there until %v ago", c.Session, c.Guard, w.Self(), p.world.Now()-w.Kept)
		}
	}
}

// Of is the wire of a client, nil if it has none.
func (p *Promises) Of(cl *client.Client) *Wire {
	for _, w := range p.Wires {
		if w.Client == cl {
			return w
		}
	}
	return nil
}

// SessionOn is the one that the client on a machine has now; 0: none.
func (p *Promises) SessionOn(a sim.Addr) (s api.SessionID) {
	for _, w := range p.Wires {
		if !w.Dead() && !w.Life.IsOver() && w.Self() == a {
			s = w.Life.Session()
		}
	}
	return s
}
