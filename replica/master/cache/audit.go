package cache

import (
	"fmt"
	"maps"
	"slices"

	"github.com/chubbycell/chubby/replica/api"
)

// Audit returns the first fault that it finds in the table; nil: it has none.
func (t *Table) Audit() error {
	total, drops := 0, 0
	for _, id := range t.Sessions() {
		s := t.sessions[id]
		total, drops = total+len(s.paths), drops+len(s.pending)
		if err := t.audit(id, s); err != nil {
			return err
		}
	}
	indexed := 0
	for _, cachers := range t.paths { // order-free: a sum
		indexed += len(cachers)
	}
	switch {
	case total != t.total || indexed != total:
		return fmt.Errorf("I-O1: counted %d registrations, sessions have %d, paths %d", t.total, total, indexed)
	case drops != t.pending:
		return fmt.Errorf("I-O1: counted %d drops, sessions have %d", t.pending, drops)
	case total > t.limits.Total:
		return fmt.Errorf("I-O3: %d registrations, limit %d", total, t.limits.Total)
	}
	return nil
}

// Untold lists, in order, the sessions that a change of a path must wait for and that have no drop of the
// path under way. It lists none after DropFor.
func (t *Table) Untold(c Change, p api.Path) (all []api.SessionID) {
	for _, id := range slices.Sorted(maps.Keys(t.paths[p])) {
		if r := t.paths[p][id]; r.drop == 0 && !c.isOwn(id, r) {
			all = append(all, id)
		}
	}
	return all
}

func (t *Table) audit(id api.SessionID, s *session) error {
	clean := 0
	for p, r := range s.paths { // order-free: any fault will do
		switch {
		case t.paths[p][id] != r:
			return fmt.Errorf("I-O1: session %d may have %v, of which the path does not know", id, p)
		case r.drop > 0 && (r.drop <= r.made || !s.isPending(r.drop)):
			return fmt.Errorf("I-O2: session %d may have %v since drop %d, and waits for drop %d, which is not under way", id, p, r.made, r.drop)
		case r.drop == 0:
			clean++
		}
	}
	switch {
	case clean != s.clean:
		return fmt.Errorf("I-O1: session %d has %d registrations without a drop, counted %d", id, clean, s.clean)
	case clean+len(s.pending)-s.locks > t.limits.PerSession+1:
		return fmt.Errorf("I-O3: session %d may have %d paths and has %d drops, limit %d", id, clean, len(s.pending), t.limits.PerSession)
	}
	return s.auditNumbers(id)
}

func (s *session) isPending(n api.DropNumber) bool {
	return slices.ContainsFunc(s.pending, func(d pending) bool { return d.number == n })
}

func (s *session) auditNumbers(id api.SessionID) error {
	before := api.DropNumber(0)
	for _, d := range s.pending {
		if d.number <= before || d.number > s.last {
			return fmt.Errorf("I-O4: session %d has drop %d behind drop %d, of %d", id, d.number, before, s.last)
		}
		before = d.number
	}
	if s.all > 0 && !s.isPending(s.all) {
		return fmt.Errorf("I-O2: session %d is to drop all, by drop %d, which is not under way", id, s.all)
	}
	return nil
}
