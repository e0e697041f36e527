package locks

import (
	"maps"
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim/model"
)

// Inherited are the lock-delays that run by the log, and those that ran when each epoch
// began: a new master runs each of these again in full, whatever it finds in its rows.
type Inherited struct {
	runs map[model.DelayID]time.Duration
	At   map[api.Epoch]map[model.DelayID]time.Duration

	Several uint64 // epochs that began while two delays of one lock ran
}

func newInherited() Inherited {
	return Inherited{runs: map[model.DelayID]time.Duration{}, At: map[api.Epoch]map[model.DelayID]time.Duration{}}
}

// OnCommand is told of each command as it is first applied anywhere, and was executed.
func (l *Inherited) OnCommand(a *command.Applied) {
	for _, e := range a.Effects {
		if e, ok := e.(command.EpochBegan); ok {
			l.At[e.Epoch.Number] = maps.Clone(l.runs)
			for d := range l.runs { // order-free: a sum
				if l.Count(d.Lock) > 1 {
					l.Several++
					break
				}
			}
		}
	}
	if c, ok := a.Command.(command.DelayOver); ok {
		delete(l.runs, model.DelayID{Lock: c.Node, Freed: c.Freed})
	}
}

// Begin notes the delay of a lock that a command has freed.
func (l *Inherited) Begin(n api.Ref, freed api.Number, d time.Duration) {
	if d > 0 {
		l.runs[model.DelayID{Lock: n, Freed: freed}] = d
	}
}

// Runs says that a lock-delay of a lock runs.
func (l *Inherited) Runs(n api.Ref) bool {
	for d := range l.runs { // order-free: any will do
		if d.Lock == n {
			return true
		}
	}
	return false
}

// Count is how many lock-delays of a lock run.
func (l *Inherited) Count(n api.Ref) (all int) {
	for d := range l.runs { // order-free: a sum
		if d.Lock == n {
			all++
		}
	}
	return all
}

// forgets notes that a node is gone, with its lock and that lock's delays.
func (l *Inherited) forgets(n api.Ref) {
	maps.DeleteFunc(l.runs, func(d model.DelayID, _ time.Duration) bool { return d.Lock == n })
}
