package cell

import (
	"maps"
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim/model"
)

// legacy are the lock-delays that run by the log, and those that ran when each epoch
// began: a new master runs each of these again in full, whatever it finds in its rows.
type legacy struct {
	runs map[model.DelayID]time.Duration
	at   map[api.Epoch]map[model.DelayID]time.Duration

	several uint64 // epochs that began while two delays of one lock ran
}

func newLegacy() legacy {
	return legacy{runs: map[model.DelayID]time.Duration{}, at: map[api.Epoch]map[model.DelayID]time.Duration{}}
}

// command is told of each command as it is first applied anywhere, and was executed.
func (l *legacy) command(a *command.Applied) {
	for _, e := range a.Effects {
		if e, ok := e.(command.EpochBegan); ok {
			l.at[e.Epoch.Number] = maps.Clone(l.runs)
			for d := range l.runs { // order-free: a sum
				if l.count(d.Lock) > 1 {
					l.several++
					break
				}
			}
		}
	}
	if c, ok := a.Command.(command.DelayOver); ok {
		delete(l.runs, model.DelayID{Lock: c.Node, Freed: c.Freed})
	}
}

// begins notes the delay of a lock that a command has freed.
func (l *legacy) begins(n api.Ref, freed api.Number, d time.Duration) {
	if d > 0 {
		l.runs[model.DelayID{Lock: n, Freed: freed}] = d
	}
}

// delays says that a lock-delay of a lock runs.
func (l *legacy) delays(n api.Ref) bool {
	for d := range l.runs { // order-free: any will do
		if d.Lock == n {
			return true
		}
	}
	return false
}

// count is how many lock-delays of a lock run.
func (l *legacy) count(n api.Ref) (all int) {
	for d := range l.runs { // order-free: a sum
		if d.Lock == n {
			all++
		}
	}
	return all
}

// forgets notes that a node is gone, with its lock and that lock's delays.
func (l *legacy) forgets(n api.Ref) {
	maps.DeleteFunc(l.runs, func(d model.DelayID, _ time.Duration) bool { return d.Lock == n })
}
