package locks

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim/model"
)

// Inherited holds the lock-delays that run by the log, and those that ran when each epoch
// began: a new master runs each of these again in full, whatever its rows say.
type Inherited struct {
	runs map[model.DelayID]time.Duration
	from map[model.DelayID]origin // of those that run
	At   map[api.Epoch]map[model.DelayID]time.Duration

	Several uint64 // counts epochs that began while two delays of one lock ran
}

// origin is whose failure began a lock-delay, and in which slot.
type origin struct {
	who  model.Owner
	slot paxos.Slot
}

func newInherited() Inherited {
	return Inherited{runs: map[model.DelayID]time.Duration{}, from: map[model.DelayID]origin{}, At: map[api.Epoch]map[model.DelayID]time.Duration{}}
}

// OnCommand reports an executed command when it is first applied anywhere.
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
		delete(l.from, model.DelayID{Lock: c.Node, Freed: c.Freed})
	}
}

// begin records the delay of a lock that a command in a slot has freed, since its holder
// failed.
func (l *Inherited) begin(n api.Ref, freed api.Number, d time.Duration, by model.Owner, in paxos.Slot) {
	if d > 0 {
		id := model.DelayID{Lock: n, Freed: freed}
		l.runs[id], l.from[id] = d, origin{by, in}
	}
}

// texts describes the running lock-delays of a lock for reports, in the order in which they
// began.
func (l *Inherited) texts(n api.Ref) (all []string) {
	for _, d := range slices.SortedFunc(maps.Keys(l.runs), func(a, b model.DelayID) int { return cmp.Compare(a.Freed, b.Freed) }) {
		if d.Lock == n {
			o := l.from[d]
			all = append(all, fmt.Sprintf("a lock-delay of %v runs since %v failed in slot %d", l.runs[d], o.who, o.slot))
		}
	}
	return all
}

// Runs reports whether a lock-delay of a lock runs.
func (l *Inherited) Runs(n api.Ref) bool {
	for d := range l.runs { // order-free: any one suffices
		if d.Lock == n {
			return true
		}
	}
	return false
}

// Count returns how many lock-delays of a lock run.
func (l *Inherited) Count(n api.Ref) (all int) {
	for d := range l.runs { // order-free: a sum
		if d.Lock == n {
			all++
		}
	}
	return all
}

// forget removes a deleted node's lock-delays.
func (l *Inherited) forget(n api.Ref) {
	maps.DeleteFunc(l.runs, func(d model.DelayID, _ time.Duration) bool { return d.Lock == n })
	maps.DeleteFunc(l.from, func(d model.DelayID, _ origin) bool { return d.Lock == n })
}
