package workload

import (
	"context"
	"fmt"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/plan"
)

// budget draws how many calls each program of one session makes.
func (c *Programs) budget(d *sim.Draw) int {
	switch c.plan.Workload {
	case plan.Churn:
		return int(d.LogUniform(1, 12))
	case plan.Registry:
		return int(d.LogUniform(4, 100))
	case plan.Storm:
		return 1 << 20 // no end: a program that ends would leave the queue
	}
	return int(d.LogUniform(10, 400))
}

// churnTurn makes ephemeral nodes, reads those of other programs, and locks a node that all
// programs lock.
func (p *stormWork) churnTurn(ctx context.Context) {
	dir := p.choose.dir()
	switch p.draws.Int(6) {
	case 0, 1:
		p.turn(ctx)
	case 2:
		if o := p.has(dir); o != nil {
			p.readDir(ctx, o)
			return
		}
		p.open(ctx, dir, client.CreateMay, p.draws.Chance(1, 4) && dir != model.Parent(HotNode))
	default:
		p.open(ctx, fmt.Sprintf("%s/e%d", dir, p.draws.Int(8)), client.CreateMay, true)
	}
}

// losesClients reports whether clients of the workload vanish by themselves, without a fault.
func (c *Programs) losesClients() bool {
	return c.plan.Workload == plan.Churn || c.plan.Workload == plan.Registry
}

// desert abandons one session in three without closing it: the client's machine loses power, and
// another client begins on it later. It reports whether it does.
func (c *Programs) desert(rt *sim.Runtime, d *sim.Draw) bool {
	if !c.losesClients() || c.Finale || !d.Chance(1, 3) {
		return false
	}
	m := c.world.Machine(rt.Env().Self())
	c.Deserted++
	c.world.After(0, func() {
		m.Crash()
		m.StartAfter(d.Duration(time.Millisecond, 500*time.Millisecond))
	})
	return rt.Sleep(context.Background(), time.Hour) == nil
}
