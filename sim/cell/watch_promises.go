package cell

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim/check/sessions"
)

// promiseWatch compares what clients count on with what the present master has
// promised, in true time (S11): a client's bound never comes after the end of its
// lease. Both are readings of clocks, and are compared as if these went on as they
// run now, which is within their bound. It looks whenever one of the two moves.
type promiseWatch struct {
	cell  *Cell
	wires []*wire
	loose bool // clocks may err by more than anybody was told
}

func newPromiseWatch(c *Cell) *promiseWatch {
	loose := c.plan.RatePPB > 1000*int64(c.plan.Driver.Core.Paxos.Lease.Rho) || c.plan.Fence.Drift > 1000
	return &promiseWatch{cell: c, loose: loose}
}

func (p *promiseWatch) begins(w *wire) { p.wires = append(p.wires, w) }

// counts is until when, in true time, a client counts on its session; ok is false
// where it does not.
func (w *wire) counts() (until time.Duration, ok bool) {
	s := w.client.Status()
	if w.dead() || s.Lease != session.Valid || s.State != session.Open || !w.mono().Before(s.Bound) {
		return 0, false
	}
	return w.clock().TrueTime(s.Bound), true
}

// clientMoved is told that a client counts on its session for longer.
func (p *promiseWatch) clientMoved(w *wire) {
	seats := p.cell.sessions.Seats
	for id := range seats {
		if t := &seats[id]; t.Of != nil && t.Epoch == p.cell.watch.Epoch && p.lives(id, t.Of) {
			if m, ok := t.Of.Session(w.life.Session()); ok {
				p.compare(w, paxos.NodeID(id), m.Lease)
			}
		}
	}
}

// lives says that a replica's life has not ended, and its clock with it.
func (p *promiseWatch) lives(id int, of sessions.Presider) bool {
	r := running(p.cell.replicas[id-1])
	return r != nil && of == sessions.Presider(sessions.Presiding{Replica: r.host.Core()})
}

// masterMoved is told that a master has set a lease.
func (p *promiseWatch) masterMoved(id paxos.NodeID, s api.SessionID, lease time.Time) {
	p.wires = slices.DeleteFunc(p.wires, (*wire).dead)
	if p.cell.sessions.Seats[id].Epoch != p.cell.watch.Epoch {
		return
	}
	for _, w := range p.wires {
		if w.life.Session() == s {
			p.compare(w, id, lease)
		}
	}
}

func (p *promiseWatch) compare(w *wire, id paxos.NodeID, lease time.Time) {
	until, ok := w.counts()
	if p.loose || !ok {
		return
	}
	if end := p.cell.replicas[id-1].Clock().TrueTime(lease); end < until {
		p.cell.world.Break("S11", "the client on %v counts on session %d for %v after its lease ends at replica %d", w.self(), w.life.Session(), until-end, id)
	}
}

// command is told of each command as it is first applied anywhere: a session does
// not end that its client has kept at this very master since all faults are over,
// unless it may be idle. To come in the last milliseconds of the lease that the
// master took over, and to be told of the fail-over, is not to keep it.
func (p *promiseWatch) command(a *command.Applied) {
	c, expires := a.Command.(command.Expire)
	if !expires || a.Verdict != command.Executed || a.Result.Code != api.OK || !p.cell.healed || p.cell.sessions.Config.IdleAfter > 0 {
		return
	}
	for _, w := range p.wires {
		if !w.dead() && w.kept > 0 && w.life.Session() == c.Session && w.keptIn == c.Guard && w.client.Status().State == session.Open {
			p.cell.world.Break("S11", "session %d is ended in epoch %d after healing, and its client on %v has kept it there until %v ago", c.Session, c.Guard, w.self(), p.cell.world.Now()-w.kept)
		}
	}
}
