package faults

import (
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
)

// drawsOf returns the draws of a kind of fault, which its strikes share.
func drawsOf(c *Faults, kind string, stream uint64) *sim.Draw {
	return c.world.Draw("cell.fault."+kind, stream)
}

// recorded records a strike, if strikes are recorded, and returns its draws.
func recorded(n *nemesis, f plan.Fault) *sim.Draw {
	s := n.of.plan.Record
	if s == nil {
		return n.draws
	}
	x := &plan.Strike{Fault: f, At: n.of.world.Now(), Stream: n.stream}
	s.Strikes = append(s.Strikes, x)
	return n.draws.Taped(&x.Draws)
}

// play schedules the strikes of the script, each at its time and with its own draws, whatever other
// strikes there are.
func play(c *Faults) {
	for _, x := range c.plan.Script.Strikes {
		more := c.world.Draw("cell.more."+x.Kind, uint64(x.N))
		d := drawsOf(c, x.Kind, x.Stream).Played(x.Draws, more)
		strike := strikeNamed(x.Kind, c.plan.With)
		sim.AfterApart(c.world, x.At, func() {
			if !c.healed {
				c.struck(x.Fault)
				strike(c, d)
			}
		})
	}
}
