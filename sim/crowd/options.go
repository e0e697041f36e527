package crowd

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/sim/plan"
)

// Options shape a crowd: a cell without faults whose sessions have a handle
// open and do nothing but stay alive.
type Options struct {
	Seed     uint64
	Replicas int           // 0: 5
	Sessions int           // 1 to Max
	Lease    time.Duration // of every session
}

// Max is the most sessions of a crowd.
const Max = 100_000

// Check returns an error that names the flag whose value is invalid, or nil.
func (o Options) Check() error {
	switch {
	case o.Replicas < 0 || o.Replicas > plan.MaxReplicas:
		return fmt.Errorf("--replicas %d: a cell has 1 to %d", o.Replicas, plan.MaxReplicas)
	case o.Sessions < 1 || o.Sessions > Max:
		return fmt.Errorf("--sessions %d: 1 to %d", o.Sessions, Max)
	case o.Lease < time.Second || o.Lease > time.Minute:
		return fmt.Errorf("--lease %v: between 1s and 1m", o.Lease)
	}
	return nil
}

// grain is the granularity of timers, as in an operating system: timers that are due within it ring
// together.
const grain = 2 * time.Millisecond

// Plan returns the plan of the crowd's cell: a calm one whose timers have a grain. It panics on
// options that Check refuses.
func (o Options) Plan() plan.Plan {
	if err := o.Check(); err != nil {
		panic(err)
	}
	p := plan.Calm(o.Seed, o.Replicas)
	p.Grain = grain
	p.Driver.Core.Sessions.LeaseMin, p.Driver.Core.Sessions.LeaseMax = o.Lease, o.Lease
	return p
}
