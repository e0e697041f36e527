package cell

import "time"

// length is when the safety phase may end, and when at the latest: a script says it, a plan
// leaves time for the floor of operations.
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

// gaveUp says that the run was to break something in its safety phase, and has not.
func (c *seedRun) gaveUp() bool {
	s := c.plan.Script
	return s != nil && s.Until > 0 && s.Until < s.Safety && c.world.Failure() == nil && c.world.Now() >= s.Until
}
