package workload

import (
	"errors"
	"fmt"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
)

// slim has every other client of some cells send few calls at a time, and let few wait:
// what waits is given up, and what finds no room is refused, as it would be by a client of
// the usual size under a load that no run can simulate. Half of a window is for those who wait for
// locks (client/session, launchable), so who locks has two places at least.
func (c *Programs) slim(d *sim.Draw, cfg *client.Config) {
	if !c.plan.Calls.Slim || !d.Chance(1, 2) {
		return
	}
	threads, least := int64(c.plan.Calls.Threads), int64(1)
	if plan.OnNodes(c.plan.Workload) || c.plan.Workload == plan.Fenced {
		least = 2
	}
	cfg.Queue, cfg.Window = int(d.Between(1, threads)), int(d.LogUniform(least, least*threads))
}

// usualQueue is how many calls wait where a client is told nothing of that.
const usualQueue = 1024

// room begins to watch whether a call that begins now, and is not one that frees
// anything, is taken (client.Config, Queue).
func (p *thread) room() (ends func(t *client.CallID, err error)) {
	door := entrance{at: p.all.world.Now(), most: p.all.queues[p.client], then: p.client.Status().Status}
	if door.most == 0 {
		door.most = usualQueue
	}
	return func(t *client.CallID, err error) {
		if p.rt.Env().Dead() {
			return
		}
		busy := errors.Is(err, client.ErrBusy)
		if id, what := door.wrong(p.all.world.Now(), p.client.Status().Status, t.Session, busy); id != "" {
			p.all.world.Break(id, "client %v %s", p.rt.Env().Self(), what)
		} else if busy {
			p.all.Busy++
			p.crowded = true
		}
	}
}

// entrance is what a call finds as it begins: the instant, the session of its client,
// and how many calls may wait in it.
type entrance struct {
	at   time.Duration
	most int
	then session.Status
}

// wrong says what is wrong with how a call ended: it is to be refused for want of room
// if, and only if, as many wait as may. Where nothing is lost by the end of a session, a
// call that was taken and not sent begins again in the next one, which others may have
// filled, and that can be at the same instant (after a pause all that has come is heard at
// one). So a refusal is judged by what the call found only where the session that it began
// in is still there; and that it was taken, only where it was sent in that session.
func (e *entrance) wrong(now time.Duration, s session.Status, sentIn api.SessionID, busy bool) (id, what string) {
	first := e.then.Session
	if e.then.State == session.Over { // it begins in the next one, which has no name yet
		first = 0
	}
	full := (e.then.State == session.Opening || e.then.State == session.Open) && e.then.Queued >= e.most
	switch {
	case busy && !full && now == e.at && s.Session == first:
		return "L1", fmt.Sprintf("refuses a call since too many wait, and %d of %d do", e.then.Queued, e.most)
	case !busy && full && e.then.State == session.Open && sentIn == first:
		return "L2", fmt.Sprintf("takes a call, and %d of %d wait already", e.then.Queued, e.most)
	}
	return "", ""
}

// freed looks at how a call has ended that gives something back: there is always room for
// one, or there would never be any.
func (p *thread) freed(err error) {
	if errors.Is(err, client.ErrBusy) && !p.rt.Env().Dead() {
		p.all.world.Break("L1", "client %v refuses to give something back since too many calls wait", p.rt.Env().Self())
	}
}
