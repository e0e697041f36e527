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
	// Run runs a seed. It is called from several goroutines. It must return even if the simulated code panics
	// (runner.Guard).
	Run  func(plan.Options) cell.Result
	Jobs int // runs in parallel; 0: one per processor
	// Told is called with the size of each smaller failure that is found, from the goroutine of Shrink; nil: not called.
	Told func(Size)
}

// Case is a failure that was shrunk.
type Case struct {
	Options plan.Options // with the smallest script that fails
	Result  cell.Result  // of a run of Options
	Was, Is Size         // before and after shrinking
	Runs    int          // candidates that a search with one job would have run
	Done    bool         // no pass can leave out anything more; false: ctx ended first
}

// ErrClean is returned by Shrink for options that do not fail.
var ErrClean = errors.New("nothing breaks")

// ErrUnscripted is returned by Shrink if the run fails, but a run with its recorded faults as a script does not.
var ErrUnscripted = errors.New("the recorded faults do not break it again")

// ErrDiffers is returned by Shrink if the smallest failure broke once, and breaks nothing when it is run again. Then an
// extension is not deterministic.
var ErrDiffers = errors.New("the shrunk run broke once, and does not break again: the seed is not one history")

// Shrink makes the failure of o smaller until no pass can leave out anything more, or ctx ends. The end of ctx is no
// error: Shrink then returns the smallest failure that it has found, and does not wait for runs that are under way. If
// o has a script, Shrink shrinks that script. The trace and the record of o are ignored. Errors are ErrClean,
// ErrUnscripted and ErrDiffers, with the seed.
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
			z.Told(s.size())
		}
	}
	c.Done = s.search()
	c.Options.Script, c.Runs = s.best, s.tried
	if s.best != whole {
		if c.Result = z.Run(c.Options); c.Result.Breach == nil {
			return Case{}, fmt.Errorf("seed %d: %w", o.Seed, ErrDiffers)
		}
	}
	c.Is = sizeOf(planOf(c.Options), c.Result.Breach.At)
	return c, nil
}

// planOf returns the plan of options.
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

// A failure of which many faults are left after this many runs with its own delays is shrunk from runs with other delays, this
// often, until few enough are left.
const ownRuns, restarts = 100, 8

// search shrinks the failure. It returns false if ctx ended first.
func (s *search) search() bool {
	whole, at := s.best, s.at
	s.whole()
	if s.size().Faults > many {
		s.neighbours(1, append(s.sorts(), s.parts()...))
	}
	if s.size().Faults > many {
		s.limit = s.tried + ownRuns
		s.faults()
		s.limit = 0
	}
	if s.size().Faults <= many {
		return s.passes()
	}
	own, done := s.best, true
	for set := uint64(0); set < restarts && done && s.size().Faults > some; set++ {
		best, since := s.best, s.at
		s.best, s.at = whole, at
		if s.steady(1 + set*steadies) {
			s.programs() // runs with fewer programs take less time
			s.clients()
			done = s.passes()
		}
		if s.size().Faults >= sizeOf(s.plan(best), since).Faults {
			s.best, s.at = best, since
		}
	}
	if s.best == own { // it has not had all passes
		done = s.passes()
	}
	return done
}

// passes runs all passes over and over, until none of them makes the script smaller. It returns false if ctx ended first.
func (s *search) passes() bool {
	for s.ctx.Err() == nil {
		before := s.best
		s.faults()
		s.clients()
		s.programs()
		s.replicas()
		s.time()
		if s.best == before && !s.neighbours(rounds(s.size().Faults), append(s.sorts(), s.parts()...)) {
			return s.ctx.Err() == nil
		}
	}
	return false
}

// whole tries to leave out all faults at once, or all faults of one sort.
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

// shorter tries to end the safety phase early, with only the faults before its end. A failure that is found after the
// run may have been caused long before, and shorter runs save time in all later passes.
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

// faults leaves out strikes, turns of the hostile client, and standing faults.
func (s *search) faults() {
	over(s, func(c *plan.Script) []*plan.Strike { return c.Strikes }, func(c *plan.Script, x []*plan.Strike) { c.Strikes = x })
	over(s, func(c *plan.Script) []*plan.Trick { return c.Tricks }, func(c *plan.Script, x []*plan.Trick) { c.Tricks = x })
	for _, name := range s.plan(s.best).Standing() {
		s.accepts(s.change(func(c *plan.Script) { c.Without = append(c.Without, name) }))
	}
}

// clients lets clients idle.
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

// programs gives each client fewer programs.
func (s *search) programs() {
	s.first(s.plan(s.best).Calls.Threads-1, func(i int) *plan.Script {
		return s.change(func(c *plan.Script) { c.Programs = i + 1 })
	})
}

// replicas makes the cell smaller: it tries three replicas, then four, and so on.
func (s *search) replicas() {
	s.first(max(0, s.plan(s.best).Replicas-3), func(i int) *plan.Script {
		return s.change(func(c *plan.Script) { c.Replicas = i + 3 })
	})
}

// time makes the safety phase shorter. If the break comes in that phase, the run ends there anyway; the phase then ends
// a second later, so that the case is also short once the bug is fixed.
func (s *search) time() {
	if s.within {
		if soon := s.at + time.Second; soon < s.best.Safety {
			s.accepts(s.change(func(c *plan.Script) { c.Safety = soon }))
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
