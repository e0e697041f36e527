package cell

import (
	"errors"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/sim"
)

// slim has every other client of some cells send few calls at a time, and let few wait:
// what waits is given up, and what finds no room is refused, as it would be by a client of
// the usual size under a load that no run can simulate. Half of a window is for those who wait for
// locks (client/session, launchable), so who locks has two places at least.
func (c *Cell) slim(d *sim.Draw, cfg *client.Config) {
	if !c.plan.Calls.Slim || !d.Chance(1, 2) {
		return
	}
	threads, least := int64(c.plan.Calls.Threads), int64(1)
	if onNodes(c.plan.Workload) || c.plan.Workload == workFenced {
		least = 2
	}
	cfg.Queue, cfg.Window = int(d.Between(1, threads)), int(d.LogUniform(least, least*threads))
}

// usualQueue is how many calls wait where a client is told nothing of that.
const usualQueue = 1024

// room begins to watch whether a call that begins now, and is not one that frees
// anything, is taken (client.Config, Queue): it is if, and only if, fewer wait than may.
// One that was taken may be refused later: where nothing is lost by the end of a session,
// it is begun again in the next, which others may have filled.
func (p *program) room() (ends func(t *client.Trail, err error)) {
	st, most := p.client.Status(), p.cell.load.queues[p.client]
	if most == 0 {
		most = usualQueue
	}
	at, full := p.cell.world.Now(), (st.State == session.Opening || st.State == session.Open) && st.Queued >= most
	return func(t *client.Trail, err error) {
		switch busy := errors.Is(err, client.ErrBusy); {
		case p.rt.Env().Dead():
		case busy && !full && p.cell.world.Now() == at:
			p.cell.world.Break("L1", "client %v refuses a call since too many wait, and %d of %d do", p.rt.Env().Self(), st.Queued, most)
		case !busy && full && st.State == session.Open && t.Session == st.Session:
			p.cell.world.Break("L2", "client %v takes a call, and %d of %d wait already", p.rt.Env().Self(), st.Queued, most)
		case busy:
			p.cell.load.busy++
			p.crowded = true
		}
	}
}

// freed looks at how a call has ended that gives something back: there is always room for
// one, or there would never be any.
func (p *program) freed(err error) {
	if errors.Is(err, client.ErrBusy) && !p.rt.Env().Dead() {
		p.cell.world.Break("L1", "client %v refuses to give something back since too many calls wait", p.rt.Env().Self())
	}
}
