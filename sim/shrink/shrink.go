package shrink

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
)

// Shrinker makes failures smaller.
type Shrinker struct {
	Run  func(plan.Options) cell.Result // runs a seed; it must return for each, also for one that panics
	Jobs int                            // runs at a time; 0: one a processor
	// Told is called when something smaller was found to fail; nil: nothing is told.
	Told func(Size)
}

// Case is a failure that was shrunk.
type Case struct {
	Options plan.Options // with the script that fails
	Result  cell.Result  // of its run
	Was, Is Size
	Runs    int  // that were needed to find it, one after the other
	Done    bool // nothing that was tried can be spared; else time was up
}

// ErrClean says that options do not fail, so that there is nothing to shrink.
var ErrClean = errors.New("nothing breaks")

// ErrUnscripted says that a failure does not come again when its faults are played one by
// one.
var ErrUnscripted = errors.New("the recorded faults do not break it again")

// Shrink makes the failure of o smaller until nothing can be spared or ctx is over, which is
// no error: the smallest that was found by then is returned. A run that is under way then
// is not waited for. Options with a script are shrunk still.
func (z Shrinker) Shrink(ctx context.Context, o plan.Options) (Case, error) {
	o.Trace.W, o.Record = nil, nil
	whole := o.Script
	if whole == nil {
		whole = &plan.Script{}
		recorded := o
		recorded.Record = whole
		if r := z.Run(recorded); r.Breach == nil || r.Internal {
			return Case{}, fmt.Errorf("seed %d: %w", o.Seed, ErrClean)
		}
	}
	o.Script = whole
	r := z.Run(o)
	if r.Breach == nil || r.Internal {
		return Case{}, fmt.Errorf("seed %d: %w", o.Seed, ErrUnscripted)
	}
	c := Case{Options: o, Result: r, Was: sizeOf(planOf(o), r.Breach.At)}
	s := &search{ctx: ctx, run: z.Run, jobs: z.jobs(), o: o, breach: r.Breach, within: r.Breach.At < whole.Safety, best: whole, at: r.Breach.At}
	s.told = func() {
		if z.Told != nil {
			z.Told(sizeOf(s.plan(s.best), s.at))
		}
	}
	c.Done = s.passes()
	c.Options.Script, c.Runs = s.best, s.tried
	if s.best != whole {
		c.Result = z.Run(c.Options)
	}
	c.Is = sizeOf(planOf(c.Options), c.Result.Breach.At)
	return c, nil
}

// planOf is the plan of options.
func planOf(o plan.Options) *plan.Plan {
	p := plan.New(o)
	return &p
}

func (z Shrinker) jobs() int {
	if z.Jobs > 0 {
		return z.Jobs
	}
	return runtime.GOMAXPROCS(0)
}

// passes makes the script smaller by one kind of thing after the other, until none of them
// finds anything more to spare. It reports that it came to its end.
func (s *search) passes() bool {
	s.whole()
	for s.ctx.Err() == nil {
		before := s.best
		s.faults()
		s.clients()
		s.programs()
		s.replicas()
		s.time()
		if s.best == before {
			return s.ctx.Err() == nil
		}
	}
	return false
}

// whole spares all faults at once, or all of one sort of them.
func (s *search) whole() {
	standing := s.plan(s.best).Standing()
	var all []*plan.Script
	try := func(f func(*plan.Script)) { all = append(all, s.change(f)) }
	try(func(c *plan.Script) { c.Strikes, c.Tricks, c.Without = nil, nil, standing })
	if len(s.best.Tricks) > 0 {
		try(func(c *plan.Script) { c.Strikes, c.Without = nil, standing })
		try(func(c *plan.Script) { c.Tricks, c.Without = nil, standing })
		try(func(c *plan.Script) { c.Tricks = nil })
	}
	try(func(c *plan.Script) { c.Without = standing })
	s.first(len(all), func(i int) *plan.Script { return all[i] })
	if !s.within {
		s.shorter()
	}
}

// shorter ends the safety phase early, with the faults that have struck by then: what breaks
// when all is over may have come long before, and each run takes less time then.
func (s *search) shorter() {
	var all []*plan.Script
	for _, part := range []time.Duration{16, 8, 4, 2} {
		all = append(all, s.change(func(c *plan.Script) {
			c.Safety /= part
			c.Strikes = slices.DeleteFunc(c.Strikes, func(x *plan.Strike) bool { return x.At >= c.Safety })
		}))
	}
	s.first(len(all), func(i int) *plan.Script { return all[i] })
}

// faults spares faults one by one.
func (s *search) faults() {
	over(s, func(c *plan.Script) []*plan.Strike { return c.Strikes }, func(c *plan.Script, x []*plan.Strike) { c.Strikes = x })
	over(s, func(c *plan.Script) []*plan.Trick { return c.Tricks }, func(c *plan.Script, x []*plan.Trick) { c.Tricks = x })
	for _, name := range s.plan(s.best).Standing() {
		s.does(s.change(func(c *plan.Script) { c.Without = append(c.Without, name) }))
	}
}

// clients spares clients.
func (s *search) clients() {
	all := s.plan(s.best).Clients
	working := func(c *plan.Script) []int {
		var some []int
		for i := 1; i <= all; i++ {
			if !slices.Contains(c.Idle, i) {
				some = append(some, i)
			}
		}
		return some
	}
	over(s, working, func(c *plan.Script, some []int) {
		c.Idle = nil
		for i := 1; i <= all; i++ {
			if !slices.Contains(some, i) {
				c.Idle = append(c.Idle, i)
			}
		}
	})
}

// programs lets each client have fewer of them.
func (s *search) programs() {
	s.first(s.plan(s.best).Calls.Threads-1, func(i int) *plan.Script {
		return s.change(func(c *plan.Script) { c.Programs = i + 1 })
	})
}

// replicas makes the cell smaller: of three replicas, or of as few as will do.
func (s *search) replicas() {
	s.first(max(0, s.plan(s.best).Replicas-3), func(i int) *plan.Script {
		return s.change(func(c *plan.Script) { c.Replicas = i + 3 })
	})
}

// time makes the safety phase shorter. Where something breaks in it, the run ends there; the
// phase is to end soon after that where nothing breaks, in a program that was mended.
func (s *search) time() {
	if s.within {
		if soon := s.at + time.Second; soon < s.best.Safety {
			s.does(s.change(func(c *plan.Script) { c.Safety = soon }))
		}
		return
	}
	var least time.Duration
	for _, x := range s.best.Strikes {
		least = max(least, x.At)
	}
	var lengths []time.Duration
	for d := time.Second; least+d < s.best.Safety*7/8; d *= 2 {
		lengths = append(lengths, least+d)
	}
	s.first(len(lengths), func(i int) *plan.Script {
		return s.change(func(c *plan.Script) { c.Safety = lengths[i] })
	})
}
