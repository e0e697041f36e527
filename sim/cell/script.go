package cell

import "time"

// length returns when the safety phase may end, and when it must. A script fixes both; without a
// script the phase may last longer, to reach the floor of operations.
func (c *seedRun) length() (end, limit time.Duration) {
	s := c.plan.Script
	switch {
	case s == nil:
		return c.plan.Duration, 3 * c.plan.Duration
	case s.Until > 0 && s.Until < s.Safety:
		return s.Until, s.Until
	}
	return s.Safety, s.Safety
}

// gaveUp reports whether a script expected a breach before Script.Until, and none came.
func (c *seedRun) gaveUp() bool {
	s := c.plan.Script
	return s != nil && s.Until > 0 && s.Until < s.Safety && c.world.Failure() == nil && c.world.Now() >= s.Until
}
