package cell

import (
	"context"
	"slices"
	"time"
)

// mostRest bounds a rest: runs are short.
const mostRest = 12 * time.Second

// restStep is how often a program looks whether there is something to do.
const restStep = 250 * time.Millisecond

// restFor is how long a client does nothing whose session is to end as idle; 0: that
// would take too long, or sessions do not, or its programs never let go of what they have.
func (p *Plan) restFor() time.Duration {
	s := &p.Host.Node.Sessions
	rest := s.IdleAfter + 2*s.LeaseMin + time.Second
	if s.IdleAfter == 0 || rest > mostRest || p.Workload == workStorm || p.Workload == workChurn {
		return 0
	}
	return rest
}

// rests lets a client be idle now and then: each of its programs, when it comes to it,
// lets go of all that it has, and sleeps until the last one's time is over. Then they go
// on, as if nothing had been.
func (p *program) rests(ctx context.Context) {
	rest := p.cell.plan.restFor()
	if rest == 0 {
		return
	}
	until := p.cell.load.rests[p.client]
	if p.odd.Chance(1, 60*uint64(p.cell.plan.Calls.Threads)) {
		until = p.rt.Now().Add(rest + p.cell.plan.Calls.Patience)
		p.cell.load.rests[p.client] = until
	}
	if !p.rt.Now().Before(until) {
		return
	}
	for _, o := range slices.Clone(p.nodes) {
		if o.lock != nil && !p.expired {
			p.release(ctx, o)
		}
	}
	for _, o := range slices.Clone(p.nodes) {
		p.closeHandle(o)
	}
	for !p.cell.load.finale && p.rt.Now().Before(until) {
		if p.rt.Sleep(ctx, min(until.Sub(p.rt.Now()), restStep)) != nil {
			return
		}
	}
}
