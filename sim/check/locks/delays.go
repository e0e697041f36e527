package locks

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/sim/model"
)

// Delays are the lock-delays that run at a master in its epoch. They end by its clock,
// each in full from when the master learnt of it, and no later: what is longer keeps
// all clients from the lock for nothing, and it cannot be said of a wait for a lock that it
// is too long (S8, C7.05).
type Delays map[model.DelayID]DelayEnd

// DelayEnd is when a lock-delay is over by the master's clock, and when the master
// first did anything after that; zero: not yet. by is, once the master has decided to
// say so, what the log may execute for it before it must have executed that; zero: it
// has not.
type DelayEnd struct {
	Due, late time.Time
	by        uint64
}

// Round is how many commands of a master the log may execute between two of what the
// master wants for itself: each of all principals has its turn.
const Round = 200

// Dallies is how long a master that is awake may have to say that a delay is over.
const Dallies = time.Second

func (ds Delays) begin(n api.Ref, freed api.Number, d api.LockDelay, now time.Time) {
	ds[model.DelayID{Lock: n, Freed: freed}] = DelayEnd{Due: now.Add(model.DelaySpan(d))}
}

// OnApplied takes in what the log says of delays.
func (ds Delays) OnApplied(a *command.Applied, now time.Time) {
	for _, e := range a.Effects {
		l, _ := e.(command.LockChanged)
		switch e := l.Effect.(type) {
		case lock.DelayBegan:
			ds.begin(e.Lock, e.Freed, e.Delay, now)
		case lock.DelayEnded:
			delete(ds, model.DelayID{Lock: e.Lock, Freed: e.Freed})
		}
	}
}

// OnDecided takes in what the master has decided to hand to the log, where executed
// commands of it were executed before, and this many of its own wait. From there on
// the log may be long about it, but not execute very many others first.
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

// Lost is a delay of which the master has said that it is over, and which runs on
// though the log has executed so much since: the log has not taken it, and nothing says
// it again.
func (ds Delays) Lost(executed uint64) (of model.DelayID, ok bool) {
	for d, e := range ds { // order-free: the first to begin is taken
		if e.by != 0 && executed > e.by && (!ok || d.Freed < of.Freed) {
			of, ok = d, true
		}
	}
	return of, ok
}

// Overdue is a delay that was over by now, and of which the master has said nothing
// though it did something else since, and was not asleep; by is zero if there is none.
// slept is how long it was until now.
func (ds Delays) Overdue(now time.Time, slept time.Duration) (of model.DelayID, by time.Duration) {
	for d, e := range ds { // order-free: the longest is taken, then the first to begin
		switch {
		case e.by != 0 || now.Before(e.Due):
		case e.late.IsZero():
			ds[d] = DelayEnd{Due: e.Due, late: now}
		case now.Sub(e.late)-slept < Dallies:
			ds[d] = DelayEnd{Due: e.Due, late: e.late.Add(slept)}
		default:
			if over := now.Sub(e.Due); over > by || over == by && d.Freed < of.Freed {
				of, by = d, over
			}
		}
	}
	return of, by
}
