package cell

import (
	"context"
	"slices"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/draw"
)

// workStorm is the workload of many who wait for one lock.
const workStorm = "storm"

// Waiters of a storm: in the swarm few, to keep its pace; where it was asked for by
// name as many as a thousand.
const (
	mostInSwarm = 40
	mostInStorm = 1000
	mostAtOnce  = 25 // on one client: a session has room for no more calls than api.MaxWindow
)

// storm draws how many wait, on how many clients.
func (p *Plan) storm(asked bool, clients int, at func(string) *draw.Stream) {
	d := at("storm")
	waiters := int(d.LogUniform(16, mostInSwarm))
	p.Calls.Share = uint64(at("storm.share").Int(4))
	if asked { // all wait at the master, none behind another program of its client
		p.Calls.Share = 0
		waiters = int(d.LogUniform(100, mostInStorm))
	}
	if clients == 0 {
		p.Clients = max(p.Clients, (waiters+mostAtOnce-1)/mostAtOnce)
	}
	p.Calls.Threads = min(mostAtOnce, (waiters+p.Clients-1)/p.Clients)
	p.Calls.Think = d.Duration(time.Millisecond, 50*time.Millisecond)
	p.Calls.Patience = d.Duration(5*time.Second, 20*time.Second)
}

// stormTurn acquires the lock that all want, holds it for a moment and gives it
// back.
func (p *program) stormTurn(ctx context.Context) {
	o := p.has(hotNode)
	if o == nil {
		p.openOrShare(ctx, hotNode)
		return
	}
	mode := client.Exclusive
	if p.draws.Chance(1, 8) {
		mode = client.Shared
	}
	p.take(ctx, o, mode, o.shared || p.draws.Chance(19, 20))
	if o.lock == nil {
		return
	}
	if p.cell.plan.Workload == workChurn && p.parts(6) {
		return
	}
	if p.draws.Chance(1, 30) { // from the release on it is of no use
		p.fence(ctx, o)
	}
	if p.rt.Sleep(ctx, p.draws.Duration(0, 30*time.Millisecond)) == nil && o.lock != nil {
		p.release(ctx, o)
	}
}

// openOrShare opens a node, or takes the handle that another program of the same client
// has on it: callers who share one exclude each other, whatever the mode, and whoever
// closes it does so for all.
func (p *program) openOrShare(ctx context.Context, path string) {
	have, comes := p.cell.load.handles[p.client]
	switch {
	case p.shares && have == nil && comes: // next time
		return
	case p.shares && have != nil:
		p.nodes = append(p.nodes, &opened{
			h: have.h, path: path, stat: have.stat, session: have.session, id: have.id, delay: have.delay, shared: true,
		})
		have.shared = true
		p.cell.load.shares++
		return
	}
	if !comes {
		p.cell.load.handles[p.client] = nil
	}
	p.open(ctx, path, client.CreateMay, false)
	if o := p.has(path); o != nil {
		p.cell.load.handles[p.client] = o
	} else if p.cell.load.handles[p.client] == nil {
		delete(p.cell.load.handles, p.client)
	}
}

// unshare closes what programs share: each makes its last calls by its own handle.
func (p *program) unshare() {
	for _, o := range slices.Clone(p.nodes) {
		if o.shared {
			p.closeHandle(o)
		}
	}
}

// bystander says that a program makes no last calls: where there are many programs,
// one on each client is enough, and of clients so many. All of them would want the
// contended lock once more, one after the other, and that is no question of whether
// the cell has recovered.
func (p *program) bystander() bool {
	plan := &p.cell.plan
	return plan.Clients*plan.Calls.Threads > mostFinales && (p.id&0xff != 0 || p.id>>32 >= mostFinales)
}

const mostFinales = 24
