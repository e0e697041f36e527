package locks

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/sim/model"
)

// Delays holds the lock-delays that run at a master in its epoch. By its clock, each must
// last its full length from when the master learned of it, and must not last longer: that
// would keep all clients from the lock for nothing, and no checker of waiting times could
// notice (S8, C7.05).
type Delays map[model.DelayID]DelayEnd

// DelayEnd is when a lock-delay is over by the master's clock. late is when the master first
// acted after that; zero: not yet. by is zero until the master has decided to propose the end;
// then it is how many commands of the master the log may have executed before that proposal.
type DelayEnd struct {
	Due, late time.Time
	by        uint64

	known  time.Time // when the master learned of it
	beside int       // other delays of this lock that ran at some time since then
}

// Round is how many commands of a master the log may execute between two of the master's own:
// in each round all principals take a turn.
const Round = 200

// Dallies is how long a master that is awake may take to propose that a delay is over.
const Dallies = time.Second

// Begin takes in a lock-delay that the master learns of now, and that is over after a time.
func (ds Delays) Begin(id model.DelayID, lasts time.Duration, now time.Time) {
	own := DelayEnd{Due: now.Add(lasts), known: now}
	for d, e := range ds { // order-free: each is counted once
		if d.Lock == id.Lock && d != id {
			own.beside++
			e.beside++
			ds[d] = e
		}
	}
	ds[id] = own
}

// Describe returns what a master knows of a delay that it has not ended, for reports.
func (ds Delays) Describe(id model.DelayID, now time.Time) string {
	e := ds[id]
	text := fmt.Sprintf("it lasts %v, and the master has known of it for %v", e.Due.Sub(e.known), now.Sub(e.known))
	if e.beside > 0 {
		text += fmt.Sprintf(", and of %d other lock-delays there", e.beside)
	}
	return text
}

// OnApplied takes in what an applied command does to lock-delays.
func (ds Delays) OnApplied(a *command.Applied, now time.Time) {
	for _, e := range a.Effects {
		l, _ := e.(command.LockChanged)
		switch e := l.Effect.(type) {
		case lock.DelayBegan:
			ds.Begin(model.DelayID{Lock: e.Lock, Freed: e.Freed}, model.DelaySpan(e.Delay), now)
		case lock.DelayEnded:
			delete(ds, model.DelayID{Lock: e.Lock, Freed: e.Freed})
		}
	}
}

// OnDecided takes in the commands that the master has decided to hand to the log for itself.
// executed is how many of its commands were executed before, own how many of its own still
// wait. From then on the log may take any time, but may not execute very many other commands
// first.
func (ds Delays) OnDecided(commands []command.Command, executed, own uint64) {
	for _, c := range commands {
		if c, over := c.(command.DelayOver); over {
			if e, runs := ds[model.DelayID{Lock: c.Node, Freed: c.Freed}]; runs {
				e.by = executed + Round*(1+own)
				ds[model.DelayID{Lock: c.Node, Freed: c.Freed}] = e
			}
		}
	}
}

// Lost returns a delay that the master has proposed to end, and that runs on although the log
// has executed many commands since: the proposal was lost, and nothing repeats it.
func (ds Delays) Lost(executed uint64) (of model.DelayID, ok bool) {
	for d, e := range ds { // order-free: the first to begin is taken
		if e.by != 0 && executed > e.by && (!ok || d.Freed < of.Freed) {
			of, ok = d, true
		}
	}
	return of, ok
}

// Overdue returns a delay that is over, and that the master has not proposed to end, although
// it acted since and was awake; by is how long it has been over, zero if there is none. slept
// is how much of the time since the last step the master slept.
func (ds Delays) Overdue(now time.Time, slept time.Duration) (of model.DelayID, by time.Duration) {
	for d, e := range ds { // order-free: the longest is taken, then the first to begin
		switch {
		case e.by != 0 || now.Before(e.Due):
		case e.late.IsZero():
			e.late = now
			ds[d] = e
		case now.Sub(e.late)-slept < Dallies:
			e.late = e.late.Add(slept)
			ds[d] = e
		default:
			if over := now.Sub(e.Due); over > by || over == by && d.Freed < of.Freed {
				of, by = d, over
			}
		}
	}
	return of, by
}
