package simtest

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/scenario"
)

// Options are what a test asks of its seeds. Zero values are drawn from each seed, unless
// they say otherwise.
type Options struct {
	// With takes part in every seed; nil: nothing beside what is built in.
	With *scenario.Extension

	Seeds uint64 // that are run, from the first one on; 0: 20
	From  uint64 // the first seed; 0: 1
	Jobs  int    // seeds at a time; 0: one a processor

	Replicas int           // 1 to 7
	Clients  int           // machines with client programs
	Duration time.Duration // simulated, with faults; 0: a minute
	Faults   []string      // their names; nil: the swarm; empty: none
	Workload string

	// Set are tunables that are set and not drawn, each as "name=value", such as "session-lease=2s": chubby sim list
	// names them.
	Set []string

	// Judge is the one property whose breach fails a seed; "": any. What breaks of others
	// is not reported, and the seed goes on: for a checker of With that is to be seen at
	// work where one that is built in would speak first. Crashes fail a seed all the same.
	Judge string

	// MinCounted is how many seeds must count, which is to simulate a minute and 500
	// answered calls, a fifth of them contended. A test whose seeds did less shows little.
	// 0: one, unless Duration is below a minute, where none can.
	MinCounted int

	// Watchdog is how long, in real time, simulated code may keep a seed from going on, as by a receive
	// from a channel that nothing sends to; 0: a minute, below 0: for ever. Then the test binary panics with the
	// seed and the stack of that code, since nothing else can end it.
	Watchdog time.Duration

	// Kept is the directory of seeds that have failed, each a file below the name of the test,
	// which Run writes and which it runs before all others; "": testdata/sim.
	Kept string
}

// plan is what each seed runs, but for its number.
func (o *Options) plan() plan.Options {
	return plan.Options{Replicas: o.Replicas, Clients: o.Clients, Duration: o.Duration, Faults: o.Faults, Workload: o.Workload, Tune: o.Set, With: o.With, Judge: o.Judge, Watchdog: o.Watchdog}
}

// check says what is wrong with the options.
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

// demanded is how many seeds must count.
func (o *Options) demanded() int {
	if o.MinCounted == 0 && (o.Duration == 0 || o.Duration >= cell.FloorTime) {
		return 1
	}
	return o.MinCounted
}
