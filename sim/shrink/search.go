package shrink

import (
	"context"
	"time"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
)

// search is the shrinking of one failure.
type search struct {
	ctx    context.Context
	run    func(plan.Options) cell.Result
	jobs   int
	o      plan.Options  // except the script
	breach *cell.Breach  // the failure
	within bool          // it breaks before healing
	best   *plan.Script  // the smallest that fails so far
	at     time.Duration // true time when best breaks
	tried  int           // candidates up to the one that was taken; candidates after it that ran in parallel do not count
	limit  int           // no candidate is tried once tried has reached it; 0: none
	told   func()        // called when best changed
}

// margin is how much later than best a smaller run may break.
const margin = 10 * time.Second

// trial is the outcome of one candidate.
type trial struct {
	i  int
	ok bool
	at time.Duration
}

// first runs up to jobs of the n candidates in parallel. It takes the one with the lowest number that breaks the same
// property by the same check, makes it the best, and returns its number; false: none breaks it. The result does not
// depend on timing, unless ctx ends: then it is the lowest that was found by then.
func (s *search) first(n int, candidate func(i int) *plan.Script) (int, bool) {
	out := make(chan trial, s.jobs) // has room for all runs that are under way when ctx ends
	best, next, running := n, 0, 0
	var at time.Duration
	for {
		for running < s.jobs && next < best && s.ctx.Err() == nil && (s.limit == 0 || s.tried+next < s.limit) {
			i, c := next, candidate(next).Clone()
			if s.within {
				c.Until = s.at + margin
			}
			next, running = next+1, running+1
			go func() { out <- s.try(i, c) }()
		}
		if running == 0 {
			break
		}
		select {
		case t := <-out:
			running--
			if t.ok && t.i < best {
				best, at = t.i, t.at
			}
		case <-s.ctx.Done():
			running = 0 // do not wait for runs that are under way
		}
	}
	s.tried += min(best+1, next)
	if best == n {
		return 0, false
	}
	s.best, s.at = candidate(best).Clone(), at
	s.told()
	return best, true
}

// try runs one candidate.
func (s *search) try(i int, c *plan.Script) trial {
	o := s.o
	o.Script = c
	r := s.run(o)
	t := trial{i: i, ok: r.Breach.Same(s.breach)}
	if t.ok {
		t.at = r.Breach.At
	}
	return t
}

// accepts tries one candidate, and makes it the best if it fails in the same way.
func (s *search) accepts(c *plan.Script) bool {
	_, ok := s.first(1, func(int) *plan.Script { return c })
	return ok
}

// plan returns the plan of a run with a script.
func (s *search) plan(c *plan.Script) *plan.Plan {
	o := s.o
	o.Script = c
	return planOf(o)
}

// size returns the size of the best script.
func (s *search) size() Size { return sizeOf(s.plan(s.best), s.at) }

// change returns a changed copy of the best script.
func (s *search) change(f func(*plan.Script)) *plan.Script {
	c := s.best.Clone()
	f(c)
	return c
}

// over minimizes one list of the script.
func over[T any](s *search, get func(*plan.Script) []T, set func(*plan.Script, []T)) {
	minimize(get(s.best), func(n int, list func(i int) []T) (int, bool) {
		base := s.best
		return s.first(n, func(i int) *plan.Script {
			c := base.Clone()
			set(c, list(i))
			return c
		})
	})
}
