package workload

import (
	"context"
	"slices"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim/plan"
)

// stormWork is a thread that acquires the lock that all programs acquire.
type stormWork struct {
	*lockWork
	shares bool // it uses the handle of another program of its client, if there is one
}

// turn acquires the lock that all programs acquire, holds it for a moment and releases it.
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
	if p.all.plan.Workload == plan.Churn && p.partHolding(6) {
		return
	}
	if p.draws.Chance(1, 30) { // once the lock is released, the handle is useless
		p.fence(ctx, o)
	}
	if p.rt.Sleep(ctx, p.draws.Duration(0, 30*time.Millisecond)) == nil && o.lock != nil {
		p.release(ctx, o)
	}
}

// openOrShare opens a node, or takes the handle that another program of the same client has on it.
// Programs that share a handle exclude each other, whatever the mode of the lock, and the first
// that closes it closes it for all.
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

// unshare closes shared handles, so that each program makes its last calls by its own handle.
func (p *stormWork) unshare() {
	for _, o := range slices.Clone(p.nodes) {
		if o.shared {
			p.closeHandle(o)
		}
	}
}

// isBystander reports whether a program makes no last calls. If there are many programs, one on
// each client is enough, and on mostFinales clients. Otherwise all of them would acquire the
// contended lock once more, one after the other, which takes long even in a cell that has
// recovered.
func (p *thread) isBystander() bool {
	plan := p.all.plan
	return plan.Clients*plan.Calls.Threads > mostFinales && (p.id&0xff != 0 || p.id>>32 >= mostFinales)
}

const mostFinales = 24
