package events

import (
	"fmt"
	"slices"

	"github.com/chubbycell/chubby/linearizability/history"
	"github.com/chubbycell/chubby/linearizability/model"
)

// HoldKind is what happened to a lock.
type HoldKind uint8

// The kinds of HoldEvents.
const (
	HoldGranted   HoldKind = iota + 1 // Holder has the lock from now on
	HoldReleased                      // Holder released it, or closed its handle
	HoldFailed                        // Holder failed, and does not have the lock any more
	HoldForgotten                     // the node was deleted, and its lock is gone
)

// HoldEvent is a change of a lock's state at the service.
type HoldEvent struct {
	At       int64 // true time in nanoseconds
	Kind     HoldKind
	Path     string // the lock
	Instance uint64
	Holder   string // all but HoldForgotten
	Shared   bool   // HoldGranted
	Gen      uint64 // HoldGranted: the lock generation
	// Until is, for HoldFailed, the true time before which the lock-delay cannot be over, for
	// any clock errors within their bound; 0: there is no delay.
	Until int64
}

// CheckExclusion checks the events of locks, which must be in the order in which they happened
// (property S8): concurrent holders are compatible, no lock is granted inside a lock-delay or
// after its deletion, and a generation grows exactly when a free lock is granted.
func CheckExclusion(events []HoldEvent) []Finding {
	c := exclusion{events: events, locks: map[model.LockName]*exclusiveLock{}}
	for i := range events {
		e := &events[i]
		name := model.LockName{Path: e.Path, Instance: e.Instance}
		l := c.locks[name]
		if l == nil {
			l = &exclusiveLock{last: -1, deleted: -1}
			c.locks[name] = l
		}
		c.apply(l, i)
	}
	return c.found
}

type exclusion struct {
	events []HoldEvent
	found  findings
	locks  map[model.LockName]*exclusiveLock
}

// exclusiveLock is the state of a lock, as the indexes of the events that made it.
type exclusiveLock struct {
	holds   []int // the grants that last
	failed  []int // the failures whose delay may still run
	last    int   // the last grant; -1: none
	deleted int   // -1: it exists
}

func (c *exclusion) apply(l *exclusiveLock, i int) {
	e := &c.events[i]
	at := slices.IndexFunc(l.holds, func(j int) bool { return c.events[j].Holder == e.Holder })
	switch {
	case e.Kind == HoldForgotten:
		l.holds, l.failed, l.deleted = nil, nil, i
	case e.Kind == HoldGranted && at >= 0:
		c.found.add(Unfounded, []int{l.holds[at], i}, "%s is granted to its holder again:\n  %s\n  %s", e.lock(), c.line(l.holds[at]), c.line(i))
	case e.Kind == HoldGranted:
		c.checkGrant(l, i)
		l.holds, l.last = append(l.holds, i), i
	case at < 0:
		c.found.add(Unfounded, []int{i}, "%s is released by a handle that does not hold it:\n  %s", e.lock(), c.line(i))
	default:
		l.holds = slices.Delete(l.holds, at, at+1)
		if e.Kind == HoldFailed && e.Until > e.At {
			l.failed = append(l.failed, i)
		}
	}
}

// checkGrant checks grant i against the events before it.
func (c *exclusion) checkGrant(l *exclusiveLock, i int) {
	e := &c.events[i]
	if l.deleted >= 0 {
		c.found.add(LateGrant, []int{l.deleted, i}, "%s is granted after its node was deleted:\n  %s\n  %s", e.lock(), c.line(l.deleted), c.line(i))
	}
	for _, j := range l.holds {
		if h := &c.events[j]; !h.Shared || !e.Shared {
			c.found.add(ConflictingHolds, []int{j, i}, "%s is granted while another handle holds it:\n  %s\n  %s", e.lock(), c.line(j), c.line(i))
		}
	}
	l.failed = slices.DeleteFunc(l.failed, func(j int) bool { return c.events[j].Until <= e.At })
	for _, j := range l.failed {
		c.found.add(EarlyGrant, []int{j, i}, "%s is granted inside a lock-delay:\n  %s\n  %s", e.lock(), c.line(j), c.line(i))
	}
	if l.last < 0 {
		return
	}
	switch was := &c.events[l.last]; {
	case len(l.holds) == 0 && e.Gen <= was.Gen:
		c.found.add(StuckGeneration, []int{l.last, i}, "%s was free, and its generation did not grow:\n  %s\n  %s", e.lock(), c.line(l.last), c.line(i))
	case len(l.holds) > 0 && e.Gen != was.Gen:
		c.found.add(MovedGeneration, []int{l.last, i}, "%s was held, and its generation moved:\n  %s\n  %s", e.lock(), c.line(l.last), c.line(i))
	}
}

func (e *HoldEvent) lock() model.LockName { return model.LockName{Path: e.Path, Instance: e.Instance} }

// line describes an event.
func (c *exclusion) line(i int) string {
	e := &c.events[i]
	at := history.Seconds(e.At)
	switch e.Kind {
	case HoldGranted:
		return fmt.Sprintf("%s: granted to %s, %s, generation %d", at, e.Holder, model.LockMode(e.Shared), e.Gen)
	case HoldReleased:
		return fmt.Sprintf("%s: released by %s", at, e.Holder)
	case HoldFailed:
		return fmt.Sprintf("%s: %s failed, delay until %s", at, e.Holder, history.Seconds(e.Until))
	}
	return fmt.Sprintf("%s: deleted", at)
}
