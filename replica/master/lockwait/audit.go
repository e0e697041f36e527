package lockwait

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/chubbycell/chubby/replica/api"
)

// Audit returns the first fault that it finds in the queues; nil: they have none.
func (q *Queues) Audit() error {
	total := 0
	for _, n := range slices.SortedFunc(maps.Keys(q.queues), compare) {
		l := q.queues[n]
		total += len(l.places)
		if len(l.places) == 0 {
			return fmt.Errorf("I-Q2: the queue for %v is empty", n)
		}
		if n := len(l.places) - l.away; n > q.limits.PerLock {
			return fmt.Errorf("I-Q1: %d wait for %v", n, l.places[0].Lock)
		}
		if err := q.auditQueue(n, l); err != nil {
			return err
		}
	}
	if total != len(q.places) || q.Len() > q.limits.Total {
		return fmt.Errorf("I-Q1: %d waiters, %d in queues", len(q.places), total)
	}
	return nil
}

func (q *Queues) auditQueue(n api.Ref, l *queue) error {
	writers, attempted, away := 0, 0, 0
	for _, p := range l.places {
		if q.places[p.Handle] != p || p.Lock != n || !p.Mode.Valid() {
			return fmt.Errorf("I-Q2: %+v waits in the queue for %v, and elsewhere", p.Waiter, n)
		}
		if p.attempted && p.away {
			return fmt.Errorf("I-Q2: %+v is attempted, and does not wait", p.Waiter)
		}
		if p.away {
			away++
		}
		if p.attempted {
			attempted++
		}
		if p.attempted && p.Mode == api.Exclusive {
			writers++
		}
	}
	if away != l.away {
		return fmt.Errorf("I-Q1: %d places for %v are kept, and %d are counted", away, n, l.away)
	}
	if writers > 0 && attempted > 1 {
		return fmt.Errorf("I-Q3: %d are attempted for %v at once, %d to hold it exclusively", attempted, n, writers)
	}
	return nil
}

// Kept lists the places that are kept for handles that do not wait, in the order of handles.
func (q *Queues) Kept() []Waiter { return q.list(true) }

// Waiters lists all waiters, for all locks, in the order of handles.
func (q *Queues) Waiters() []Waiter { return q.list(false) }

func (q *Queues) list(away bool) (all []Waiter) {
	for _, p := range q.places {
		if p.away == away {
			all = append(all, p.Waiter)
		}
	}
	slices.SortFunc(all, func(a, b Waiter) int {
		return cmp.Or(cmp.Compare(a.Handle.Epoch, b.Handle.Epoch), cmp.Compare(a.Handle.Counter, b.Handle.Counter))
	})
	return all
}

func compare(a, b api.Ref) int {
	if c := a.Path.Compare(b.Path); c != 0 {
		return c
	}
	return cmp.Compare(a.Instance, b.Instance)
}
