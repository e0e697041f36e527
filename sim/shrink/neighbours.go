package shrink

import (
	"slices"

	"github.com/chubbycell/chubby/sim/plan"
)

// A failure of which more than few faults are left is looked for in its neighbours. A round tries sets of them for each
// way to leave out faults.
const (
	few, some, many = 6, 15, 30
	sets            = 8
)

// rounds returns how many rounds a failure is worth.
func rounds(faults int) int {
	switch {
	case faults <= few:
		return 0
	case faults <= some:
		return 1
	}
	return 6
}

// neighbours looks for the failure in runs with other delays and losses of messages, and without many of the faults. If
// a failure depends on an exact order of messages, nearly every call of the hostile client appears to be needed, since
// without it all later messages have other delays; in a neighbour that order may come about by itself. The delays of the
// best script are tried before others. It returns false if no neighbour fails in the same way.
func (s *search) neighbours(rounds int, ways []way) bool {
	base := s.best
	for round := range rounds {
		if s.ctx.Err() != nil {
			break
		}
		if _, ok := s.first(len(ways)*sets, func(i int) *plan.Script {
			c := base.Clone()
			c.LinkDraws += uint64(round*sets + i%sets) // the same draws come first
			ways[i/sets](c)
			return c
		}); ok {
			return true
		}
	}
	return false
}

// steadies is how many other delays steady tries.
const steadies = 64

// steady looks for the failure in runs with all faults of the best script and other delays, by number from the given one on. There,
// what is left out moves only what follows from it (sim.Config.LinkDraws), so that the failure survives more of what the passes
// try. It returns false if none fails in the same way.
func (s *search) steady(from uint64) bool {
	base := s.best
	if base.LinkDraws != 0 {
		return false
	}
	_, ok := s.first(steadies, func(i int) *plan.Script {
		c := base.Clone()
		c.LinkDraws = from + uint64(i)
		return c
	})
	if ok {
		s.future()
	}
	return ok
}

// future leaves out the strikes after the break: with other delays it may come much sooner than in the recorded run, and
// what had not happened by then did not cause it. Of the turns of the hostile client, which stand by its own clock, it
// tries to leave out the last ones.
func (s *search) future() {
	at := s.at
	isLater := func(x *plan.Strike) bool { return x.At > at }
	if slices.ContainsFunc(s.best.Strikes, isLater) {
		s.accepts(s.change(func(c *plan.Script) { c.Strikes = slices.DeleteFunc(c.Strikes, isLater) }))
	}
	var all []*plan.Script
	for n := 1; n < len(s.best.Tricks); n *= 2 {
		all = append(all, s.change(func(c *plan.Script) { c.Tricks = c.Tricks[:n] }))
	}
	s.first(len(all), func(i int) *plan.Script { return all[i] })
}

// way is a change that leaves out many faults of a script.
type way func(*plan.Script)

// sorts returns the ways to leave out all faults of the best script, or all of one sort.
func (s *search) sorts() []way {
	standing := s.plan(s.best).Standing()
	all := []way{func(c *plan.Script) { c.Strikes, c.Tricks, c.Without = nil, nil, append(c.Without, standing...) }}
	if len(s.best.Strikes) > 0 && len(s.best.Tricks) > 0 {
		all = append(all, func(c *plan.Script) { c.Tricks = nil }, func(c *plan.Script) { c.Strikes = nil })
	}
	return all
}

// parts returns the ways to leave out a half or a quarter of the turns of the hostile client, or of the strikes.
func (s *search) parts() []way {
	var all []way
	tricks, strikes := len(s.best.Tricks), len(s.best.Strikes)
	for _, parts := range []int{2, 4} {
		for i := range parts {
			if n := (tricks + parts - 1) / parts; i*n < tricks {
				all = append(all, func(c *plan.Script) { c.Tricks = without(c.Tricks, i*n, n) })
			}
			if n := (strikes + parts - 1) / parts; i*n < strikes {
				all = append(all, func(c *plan.Script) { c.Strikes = without(c.Strikes, i*n, n) })
			}
		}
	}
	return all
}
