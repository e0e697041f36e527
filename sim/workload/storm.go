package workload

import (
	"context"
	"slices"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim/plan"
)

// stormWork is a thread that wants the lock that all want.
type stormWork struct {
	*lockWork
	shares bool // it takes the handle of another one, if there is one
}

// turn acquires the lock that all want, holds it for a moment and gives it
// back.
func (p *stormWork) turn(ctx context.Context) {
	o := p.has(HotNode)
	if o == nil {
		p.openOrShare(ctx, HotNode)
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
	if p.all.plan.Workload == plan.Churn && p.parts(6) {
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
// has on it: callers that share one exclude each other, whatever the mode, and the
// first that closes it closes it for all.
func (p *stormWork) openOrShare(ctx context.Context, path string) {
	have, comes := p.all.handles[p.client]
	switch {
	case p.shares && have == nil && comes: // next time
		return
	case p.shares && have != nil:
		p.nodes = append(p.nodes, &opened{
			h: have.h, path: path, stat: have.stat, session: have.session, id: have.id, delay: have.delay, shared: true,
		})
		have.shared = true
		p.all.Shared++
		return
	}
	if !comes {
		p.all.handles[p.client] = nil
	}
	p.open(ctx, path, client.CreateMay, false)
	if o := p.has(path); o != nil {
		p.all.handles[p.client] = o
	} else if p.all.handles[p.client] == nil {
		delete(p.all.handles, p.client)
	}
}

// unshare closes what programs share: each makes its last calls by its own handle.
func (p *stormWork) unshare() {
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
func (p *thread) bystander() bool {
	plan := p.all.plan
	return plan.Clients*plan.Calls.Threads > mostFinales && (p.id&0xff != 0 || p.id>>32 >= mostFinales)
}

const mostFinales = 24
