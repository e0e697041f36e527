package adversary

import (
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
)

// takeTurn takes the next turn. It records the draws if the run is recorded, and uses recorded
// draws if a script is played.
func (h *hostile) takeTurn(now time.Time) {
	plain := [3]*sim.Draw{h.draws, h.numbers, h.odd}
	over := func(f func(i int, d *sim.Draw) *sim.Draw) {
		h.draws, h.numbers, h.odd = f(0, plain[0]), f(1, plain[1]), f(2, plain[2])
	}
	switch p := h.of.plan; {
	case p.Script != nil:
		x := p.Script.Tricks[h.turns]
		over(func(i int, d *sim.Draw) *sim.Draw {
			return d.Played(x.Draws[i], h.env.World().Draw("hostile.more", uint64(3*x.N+i)))
		})
	case p.Record != nil:
		x := &plan.Trick{N: h.turns + 1, At: now.UnixNano()}
		p.Record.Tricks = append(p.Record.Tricks, x)
		over(func(i int, d *sim.Draw) *sim.Draw { return d.Taped(&x.Draws[i]) })
	}
	h.turns++
	turn(h)
	h.flood()
	h.draws, h.numbers, h.odd = plain[0], plain[1], plain[2]
}

// awaitTurn sets the timer to the next turn of the script, if there is one.
func (h *hostile) awaitTurn() {
	if all := h.of.plan.Script.Tricks; h.turns < len(all) {
		h.env.WakeAt(time.Unix(0, all[h.turns].At))
	}
}
