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

// Check says what is wrong with the options, naming the flag.
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

// grain is the grain of timers, as an operating system has one: what falls due
// within it is done together.
const grain = 2 * time.Millisecond

// Plan is that of the crowd's cell: a calm one, whose timers have a grain.
// It panics on options that Check refuses.
func (o Options) Plan() plan.Plan {
	if err := o.Check(); err != nil {
		panic(err)
	}
	p := plan.Calm(o.Seed, o.Replicas)
	p.Grain = grain
	p.Driver.Core.Sessions.LeaseMin, p.Driver.Core.Sessions.LeaseMax = o.Lease, o.Lease
	return p
}
