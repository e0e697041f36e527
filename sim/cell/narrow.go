package cell

import (
	"context"
	"time"

	"github.com/chubbycell/chubby/internal/draw"
)

// narrow draws cells, one in four, in which masters take little at a time: few
// commands wait for a slot, few calls are under way, few handles are open, few
// Acquires wait and few sessions are alive. So the log refuses what masters and desks
// propose, and calls are refused that a later try may find room for: states that a cell
// of the usual size comes to under loads that no run can simulate for long.
func (p *Plan) narrow(at func(string) *draw.Stream) {
	d := at("narrow")
	if !d.Chance(1, 4) || p.Clients*p.Calls.Threads > mostInNarrow {
		return
	}
	n, clients := &p.Host.Node, int64(p.Clients)
	p.Calls.Narrow = true
	n.Paxos.MaxPending = int(d.LogUniform(1, 16))
	n.MaxPending = int(d.LogUniform(2, 64))
	if d.Chance(1, 2) { // the log is full whenever a disk or a link is slow
		n.Paxos.Window, n.Paxos.MaxBatchCommands = int(d.Between(1, 2)), int(d.Between(1, 4))
		n.Paxos.MaxPending = int(d.Between(1, 2))
	}
	// A session opens two handles for each of its programs, or is not of much use.
	least := 2 * int64(p.Calls.Threads)
	n.Desk.Handles.PerSession = int(d.LogUniform(least, 16*least))
	n.Desk.Handles.Closed = int(d.LogUniform(least, 64*least))
	n.Desk.Queues.PerLock = int(d.LogUniform(1, 16))
	if p.Hostile.Gap == 0 { // who would take all that there is
		n.Desk.Handles.Total = int(d.LogUniform(least*clients, 32*least*clients))
		n.Desk.Queues.Total = int(d.LogUniform(1, 64))
	}
	if p.Hostile.Gap == 0 && n.Sessions.LeaseMin > 0 { // else those of clients that are gone stay
		n.MaxSessions = p.Clients + d.Int(3)
		if p.Workload == workFenced {
			n.MaxSessions++ // the resource has one
		}
	}
}

// mostInNarrow is how many programs at most share so little: more of them would only be
// refused, most of the time.
const mostInNarrow = 24

// waitsForRoom waits before the next call of a program that found no room: it would
// find none again, and again.
func (p *program) waitsForRoom(ctx context.Context) error {
	if !p.crowded {
		return nil
	}
	p.crowded = false
	return p.rt.Sleep(ctx, p.draws.Duration(0, 2*time.Second))
}
