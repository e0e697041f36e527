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

// Promises compares what clients count on with what the present master has promised, in true
// time (S11): a client's bound must not come after the end of its lease. Both are readings of
// clocks. They are converted to true time as if the clocks kept their present rates, which
// are within their bound. Promises compares whenever one of the two moves.
type Promises struct {
	Loose   bool // clocks may err beyond the bound that machines are configured with
	Healed  bool // all faults are over
	Renewed int  // counts sessions that clients opened after one had ended
	Wires   []*Wire
	// OnEvent, if not nil, is called for each event of a client's sessions. It must change nothing in the world.
	OnEvent func(w *Wire, e client.Event)

	world   *sim.World
	beliefs *Checker
	seats   *sessions.Checker
	parties []leases.Party // by replica
	log     *agreement.Epochs
}

// NewPromises returns a checker that knows no client. It reports requests to beliefs. It
// reads the masters' promises from seats, the newest epoch from log, and whether a replica is
// alive from parties, which are indexed by replica.
func NewPromises(w *sim.World, beliefs *Checker, seats *sessions.Checker, parties []leases.Party, log *agreement.Epochs) *Promises {
	return &Promises{world: w, beliefs: beliefs, seats: seats, parties: parties, log: log}
}

// Counts returns until when, in true time, a client counts on its session; ok is false if it
// does not.
func (w *Wire) Counts() (until time.Duration, ok bool) {
	s := w.Client.Status()
	if w.Dead() || s.Lease != session.Valid || s.State != session.Open || !w.mono().Before(s.Bound) {
		return 0, false
	}
	return w.clock().TrueTime(s.Bound), true
}

// onClientMoved reports that a client's bound has changed.
func (p *Promises) onClientMoved(w *Wire) {
	seats := p.seats.Seats
	for id := range seats {
		if t := &seats[id]; t.Of != nil && t.Epoch == p.log.Highest && p.Lives(id, t.Of) {
			if m, ok := t.Of.Session(w.Life.Session()); ok {
				p.compare(w, paxos.NodeID(id), m.Lease)
			}
		}
	}
}

// Lives reports whether of is the present life of a replica, whose clock can still be asked.
func (p *Promises) Lives(id int, of sessions.Presider) bool {
	n, ok := p.parties[id].Believes().(*core.Replica)
	return ok && of == sessions.Presider(sessions.Presiding{Replica: n})
}

// OnLease reports that a master has set a session's lease.
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

// OnCommand reports a command when it is first applied anywhere. After healing, a session
// must not be ended by a master at which its client has kept it, unless sessions may be idle or
// an operator has had it ended.
// Keeping a session means that this master extended the lease; a KeepAlive that arrives in
// the last milliseconds of an inherited lease, and is answered with the fail-over, does not.
func (p *Promises) OnCommand(a *command.Applied) {
	c, expires := a.Command.(command.Expire)
	if !expires || a.Verdict != command.Executed || a.Result.Code != api.OK || !p.Healed || p.seats.Config.IdleAfter > 0 || p.seats.IsDismissed(c.Session, c.Guard) {
		return
	}
	for _, w := range p.Wires {
		if !w.Dead() && w.Kept > 0 && w.Life.Session() == c.Session && w.KeptIn == c.Guard && w.Client.Status().State == session.Open {
			p.world.Break("S11", "session %d is ended in epoch %d after healing, and its client on %v has kept it there until %v ago", c.Session, c.Guard, w.Self(), p.world.Now()-w.Kept)
		}
	}
}

// Of returns the wire of a client, or nil.
func (p *Promises) Of(cl *client.Client) *Wire {
	for _, w := range p.Wires {
		if w.Client == cl {
			return w
		}
	}
	return nil
}

// SessionOn returns the present session of the client on a machine; 0: none.
func (p *Promises) SessionOn(a sim.Addr) (s api.SessionID) {
	for _, w := range p.Wires {
		if !w.Dead() && !w.Life.IsOver() && w.Self() == a {
			s = w.Life.Session()
		}
	}
	return s
}
