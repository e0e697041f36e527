package workload

import (
	"context"
	"slices"
	"time"
)

// restStep is how often a program looks whether there is something to do.
const restStep = 250 * time.Millisecond

// rest makes a client idle now and then. Each of its programs closes its handles and sleeps until
// the common end of the rest. Then they continue.
func (p *lockWork) rest(ctx context.Context) {
	rest := p.all.plan.RestFor()
	if rest == 0 {
		return
	}
	until := p.all.rests[p.client]
	if p.odd.Chance(1, 60*uint64(p.all.plan.Calls.Threads)) {
		until = p.rt.Now().Add(rest + p.all.plan.Calls.Patience)
		p.all.rests[p.client] = until
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
	for !p.all.Finale && p.rt.Now().Before(until) {
		if p.rt.Sleep(ctx, min(until.Sub(p.rt.Now()), restStep)) != nil {
			return
		}
	}
}
