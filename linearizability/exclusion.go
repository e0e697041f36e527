package linearizability

import (
	"fmt"
	"slices"
)

// HoldKind is what happened to a lock.
type HoldKind uint8

// What happens to locks.
const (
	HoldGranted   HoldKind = iota + 1 // Holder has it from now on
	HoldReleased                      // Holder let it go, in whichever orderly way
	HoldFailed                        // Holder failed: it has the lock no longer
	HoldForgotten                     // the node was deleted, its lock is gone
)

// HoldEvent is something that happened to a lock at the service, where its state
// is.
type HoldEvent struct {
	At       int64 // true time in nanoseconds
	Kind     HoldKind
	Path     string // the lock
	Instance uint64
	Holder   string // all but HoldForgotten
	Shared   bool   // HoldGranted
	Gen      uint64 // HoldGranted: the lock generation
	// Until is, of HoldFailed, the true time before which the lock-delay cannot be
	// over, however clocks err within their bound; 0: there is none.
	Until int64
}

// CheckExclusion judges what was done to locks, the events being in the order in
// which it was done (property S8): compatible holders only, no grant inside a
// lock-delay or after the deletion, and a generation that grows exactly when a
// free lock is granted.
func CheckExclusion(events []HoldEvent) []Finding {
	c := exclusion{events: events, locks: map[lockName]*exclusiveLock{}}
	for i := range events {
		e := &events[i]
		name := lockName{e.Path, e.Instance}
		l := c.locks[name]
		if l == nil {
			l = &exclusiveLock{last: -1, deleted: -1}
			c.locks[name] = l
		}
		c.event(l, i)
	}
	return c.found
}

type exclusion struct {
	events []HoldEvent
	found  findings
	locks  map[lockName]*exclusiveLock
}

// exclusiveLock is a lock by the events that made it what it is.
type exclusiveLock struct {
	holds   []int // the grants that last
	failed  []int // the failures whose delay may still run
	last    int   // the last grant; -1: none
	deleted int   // -1: it is not
}

func (c *exclusion) event(l *exclusiveLock, i int) {
	e := &c.events[i]
	at := slices.IndexFunc(l.holds, func(j int) bool { return c.events[j].Holder == e.Holder })
	switch {
	case e.Kind == HoldForgotten:
		l.holds, l.failed, l.deleted = nil, nil, i
	case e.Kind == HoldGranted && at >= 0:
		c.found.add(Unfounded, []int{l.holds[at], i}, "%s is granted to who has it:\n  %s\n  %s", e.lock(), c.line(l.holds[at]), c.line(i))
	case e.Kind == HoldGranted:
		c.grant(l, i)
		l.holds, l.last = append(l.holds, i), i
	case at < 0:
		c.found.add(Unfounded, []int{i}, "who does not have %s gives it up:\n  %s", e.lock(), c.line(i))
	default:
		l.holds = slices.Delete(l.holds, at, at+1)
		if e.Kind == HoldFailed && e.Until > e.At {
			l.failed = append(l.failed, i)
		}
	}
}

// grant judges grant i by what was before it.
func (c *exclusion) grant(l *exclusiveLock, i int) {
	e := &c.events[i]
	if l.deleted >= 0 {
		c.found.add(LateGrant, []int{l.deleted, i}, "%s is granted after its node was deleted:\n  %s\n  %s", e.lock(), c.line(l.deleted), c.line(i))
	}
	for _, j := range l.holds {
		if h := &c.events[j]; !h.Shared || !e.Shared {
			c.found.add(ConflictingHolds, []int{j, i}, "%s is granted while another has it:\n  %s\n  %s", e.lock(), c.line(j), c.line(i))
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

func (e *HoldEvent) lock() lockName { return lockName{e.Path, e.Instance} }

// line is an event in words.
func (c *exclusion) line(i int) string {
	e := &c.events[i]
	at := seconds(e.At)
	switch e.Kind {
	case HoldGranted:
		return fmt.Sprintf("%s: granted to %s, %s, generation %d", at, e.Holder, lockMode(e.Shared), e.Gen)
	case HoldReleased:
		return fmt.Sprintf("%s: released by %s", at, e.Holder)
	case HoldFailed:
		return fmt.Sprintf("%s: %s failed, delay until %s", at, e.Holder, seconds(e.Until))
	}
	return fmt.Sprintf("%s: deleted", at)
}
