package lock

import "github.com/chubbycell/chubby/replica/api"

// Effect is one of the structs of this file: something that followed from a command, as
// data, in the order in which it happened.
type Effect interface{ effect() }

// Granted: Owner holds Lock from here on.
type Granted struct {
	Lock        api.Ref
	Owner       Owner
	Mode        api.Mode
	Gen         api.LockGen
	Acquisition api.Acquisition
}

// Freed: Owner does not hold Lock any more. Other holders may remain.
type Freed struct {
	Lock        api.Ref
	Owner       Owner
	Acquisition api.Acquisition
	Failed      bool // the holder failed; it did not release
}

// DelayBegan: no handle may claim Lock before command.DelayOver with this Lock and Freed
// stands in the log. The master proposes it when Delay has passed on its clock.
type DelayBegan struct {
	Lock  api.Ref
	Freed api.Number
	Delay api.LockDelay
}

// DelayEnded: the delay that began at Freed is over. Others may be running.
type DelayEnded struct {
	Lock  api.Ref
	Freed api.Number
}

// Claimable: Lock may be claimed again, since no delay is running: it is free, or, when a
// delay has ended, free or shared. The first waiting Acquire may be attempted again; its
// command decides when it is applied.
type Claimable struct{ Lock api.Ref }

func (Granted) effect()    {}
func (Freed) effect()      {}
func (DelayBegan) effect() {}
func (DelayEnded) effect() {}
func (Claimable) effect()  {}
