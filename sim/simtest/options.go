package simtest

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/scenario"
)

// Options configure the seeds of a test. A zero value means that each seed draws the value, unless
// the field says otherwise.
type Options struct {
	// With takes part in every seed; nil: only the built-in parts do.
	With *scenario.Extension

	Seeds uint64 // number of seeds to run; 0: 20
	From  uint64 // the first seed; 0: 1
	Jobs  int    // seeds at the same time; 0: one per processor

	Replicas int           // 1 to 7
	Clients  int           // machines with client programs
	Duration time.Duration // simulated time with faults; 0: a minute
	Faults   []string      // names of faults; nil: the swarm; empty: none
	Workload string

	// Set fixes tunables that a seed would draw, each as "name=value", such as "session-lease=2s";
	// chubby sim list names them.
	Set []string

	// Judge is the only property whose breach fails a seed; "": any property. The seed goes on when
	// another one breaks; Run only logs how often that was. It is for seeing a checker of With at
	// work where a built-in one would report first. Crashes fail a seed in any case. A Program may
	// name what it reports by World.Break. If it never does, and reports another name, the test
	// fails: Judge is wrong.
	Judge string

	// MinCounted is how many seeds must count. A seed counts if it simulates a minute and 500
	// answered calls, a fifth of them contended. A test whose seeds did less shows little. 0: one,
	// unless Duration is below a minute, when no seed can count.
	MinCounted int

	// Watchdog is for how long, in real time, simulated code may block a seed, for instance in a
	// receive from a channel that nothing sends to. 0: a minute; below 0: for ever. After that the
	// test binary panics with the seed and the stack of that code, since nothing else can end it.
	Watchdog time.Duration

	// Kept is the directory of failed seeds, each a file below the name of the test. Run writes
	// them, and runs them before all other seeds. "": testdata/sim.
	Kept string

	isReported bool // Judge is the name of no property, but of what a Program reports
}

// plan returns what each seed runs, except its number.
func (o *Options) plan() plan.Options {
	return plan.Options{Replicas: o.Replicas, Clients: o.Clients, Duration: o.Duration, Faults: o.Faults, Workload: o.Workload, Tune: o.Set, With: o.With, Judge: o.Judge, Watchdog: o.Watchdog}
}

// check returns what is wrong with the options.
func (o *Options) check() error {
	if o.With != nil {
		if err := cell.CheckExtension(o.With); err != nil {
			return err
		}
	}
	if o.Jobs < 0 || o.MinCounted < 0 {
		return fmt.Errorf("options Jobs %d, MinCounted %d: at least 0", o.Jobs, o.MinCounted)
	}
	if err := cell.CheckJudge(o.Judge, o.With); err != nil {
		return err
	}
	return o.plan().Check()
}

// demanded returns how many seeds must count.
func (o *Options) demanded() int {
	if o.MinCounted == 0 && (o.Duration == 0 || o.Duration >= cell.FloorTime) {
		return 1
	}
	return o.MinCounted
}
