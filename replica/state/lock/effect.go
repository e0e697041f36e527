package lock

import "github.com/chubbycell/chubby/replica/api"

// Effect is one of the structs of this file: something that followed from a
// command, told as data, in the order in which it happened.
type Effect interface{ effect() }

// Granted: Owner holds Lock from here on.
type Granted struct {
	Lock        api.Ref
	Owner       Owner
	Mode        api.Mode
	Gen         api.LockGen
	Acquisition api.Acquisition
}

// Freed: Owner does not hold Lock any more. Others may.
type Freed struct {
	Lock        api.Ref
	Owner       Owner
	Acquisition api.Acquisition
	Failed      bool // the holder failed; it did not release
}

// DelayBegan: nobody may claim Lock before the master, Delay from now on its own
// clock, brings DelayOver with this Lock and Freed into the log.
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

// Claimable: what stood in the way of claims is gone, and no delay is running:
// Lock is free, or, when a delay has ended, may be held shared. Who waits first
// may try again; whether that succeeds is found out when it is applied.
type Claimable struct{ Lock api.Ref }

func (Granted) effect()    {}
func (Freed) effect()      {}
func (DelayBegan) effect() {}
func (DelayEnded) effect() {}
func (Claimable) effect()  {}
