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

// slim makes every other client of some cells send few calls at a time, and let few wait. Calls
// that wait are then given up, and calls that find no room are refused, as by a client of the usual
// size under a load that no run can simulate. At most half of a window is for Acquires that wait
// (client/session, launchable), so a client that locks has at least two places.
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

// usualQueue is how many calls may wait if client.Config.Queue is not set.
const usualQueue = 1024

// watchRoom begins to check whether the client takes a call that begins now (client.Config, Queue).
// It is not for calls that give something back. ends must be called when the call ends.
func (p *thread) watchRoom() (ends func(t *client.CallID, err error)) {
	door := entrance{at: p.all.world.Now(), most: p.all.queues[p.client], then: p.client.Status().Status}
	if door.most == 0 {
		door.most = usualQueue
	}
	return func(t *client.CallID, err error) {
		if p.rt.Env().Dead() {
			return
		}
		busy := errors.Is(err, client.ErrBusy)
		if id, what := door.fault(p.all.world.Now(), p.client.Status().Status, t.Session, busy); id != "" {
			p.all.world.Break(id, "client %v %s", p.rt.Env().Self(), what)
		} else if busy {
			p.all.Busy++
			p.crowded = true
		}
	}
}

// entrance is the state in which a call begins: the instant, the session of its client, and how
// many calls may wait in it.
type entrance struct {
	at   time.Duration
	most int
	then session.Status
}

// fault returns what is wrong with how a call ended, or "". A client must refuse a call for lack of
// room if, and only if, as many calls wait as may. If a session ends without loss, a call that was
// taken but not sent begins again in the next session, which other calls may have filled. That can
// happen at the same instant, because after a pause a client handles all waiting messages at one
// instant. So fault judges a refusal only if the session in which the call began is still the
// present one, and an acceptance only if the call was sent in that session.
func (e *entrance) fault(now time.Duration, s session.Status, sentIn api.SessionID, busy bool) (id, what string) {
	first := e.then.Session
	if e.then.State == session.Over { // the call begins in the next session, which has no id yet
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

// checkGaveBack checks how a call ended that gives something back. Such a call must always find
// room, because otherwise there might never be room again.
func (p *thread) checkGaveBack(err error) {
	if errors.Is(err, client.ErrBusy) && !p.rt.Env().Dead() {
		p.all.world.Break("L1", "client %v refuses to give something back since too many calls wait", p.rt.Env().Self())
	}
}
