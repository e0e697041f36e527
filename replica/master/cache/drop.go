package cache

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// Change names the call that changes something. The zero Change is one of the master itself.
type Change struct {
	Session api.SessionID
	Seq     api.Seq
}

// Compare orders changes.
func (c Change) Compare(d Change) int {
	return cmp.Or(cmp.Compare(c.Session, d.Session), cmp.Compare(c.Seq, d.Seq))
}

// isOwn reports whether the client of a registration drops the path by itself, because the change is
// a later call of its own than the one for which the registration was made.
func (c Change) isOwn(id api.SessionID, r *registration) bool {
	return c.Session != 0 && id == c.Session && r.seq < c.Seq
}

// Drop tells a session to drop a path.
type Drop struct {
	Session api.SessionID
	Path    api.Path
	Number  api.DropNumber
}

// IsClear reports whether no session has to drop one of the paths before a change.
func (t *Table) IsClear(c Change, paths []api.Path) bool {
	for _, p := range paths {
		cachers := t.paths[p]
		own := 0
		if r := cachers[c.Session]; r != nil && c.isOwn(c.Session, r) {
			own = 1
		}
		if len(cachers) > own {
			return false
		}
	}
	return true
}

// DropFor queues the drops that a change waits for, except those under way, and returns them in the
// order of paths and sessions. The caller tells the sessions.
func (t *Table) DropFor(now time.Time, c Change, paths []api.Path) (all []Drop) {
	for _, p := range paths {
		for _, id := range slices.Sorted(maps.Keys(t.paths[p])) {
			if r := t.paths[p][id]; r.drop == 0 && !c.isOwn(id, r) {
				s := t.sessions[id]
				r.drop = t.queue(now, s, p)
				s.clean--
				all = append(all, Drop{Session: id, Path: p, Number: r.drop})
			}
		}
	}
	t.count.Dropped += uint64(len(all))
	return all
}

// Forget removes the registrations of these paths that the client of a change has dropped by itself,
// and returns the paths of the removed ones.
func (t *Table) Forget(c Change, paths []api.Path) (freed []api.Path) {
	for _, p := range paths {
		if r := t.paths[p][c.Session]; r != nil && c.isOwn(c.Session, r) {
			t.remove(p, c.Session)
			freed = append(freed, p)
		}
	}
	return freed
}

// Ack takes note that a session has acknowledged its drops up to this one, and returns the paths that
// it no longer has.
func (t *Table) Ack(id api.SessionID, through api.DropNumber) (freed []api.Path) {
	s := t.sessions[id]
	if s == nil {
		return nil
	}
	n, _ := slices.BinarySearchFunc(s.pending, through+1, pending.compare)
	for _, d := range s.pending[:n] {
		freed = append(freed, t.ack(id, s, d)...)
	}
	s.pending = slices.Delete(s.pending, 0, n)
	t.pending -= n
	return freed
}

func (d pending) compare(n api.DropNumber) int { return cmp.Compare(d.number, n) }

// DropLocks queues a drop of the locks that a session holds on the node at a path, and returns its
// number. A change that waits for it asks HasDropped.
func (t *Table) DropLocks(now time.Time, id api.SessionID, p api.Path) api.DropNumber {
	s := t.session(id)
	n := t.queue(now, s, p)
	s.pending[len(s.pending)-1].locks = true
	s.locks++
	return n
}

// HasDropped reports whether a session has acknowledged its drop of this number, or is over.
func (t *Table) HasDropped(id api.SessionID, n api.DropNumber) bool {
	s := t.sessions[id]
	if s == nil {
		return true
	}
	_, waits := slices.BinarySearchFunc(s.pending, n, pending.compare)
	return !waits
}

func (t *Table) ack(id api.SessionID, s *session, d pending) []api.Path {
	if d.locks {
		s.locks--
		return []api.Path{d.path}
	}
	about := []api.Path{d.path}
	if d.number == s.all {
		s.all = 0
		about = slices.SortedFunc(maps.Keys(s.paths), api.Path.Compare)
	}
	return slices.DeleteFunc(about, func(p api.Path) bool {
		r := s.paths[p]
		if r == nil || r.drop != d.number {
			return true
		}
		t.remove(p, id)
		return false
	})
}

// Tell takes note that an answer tells a session of its drops up to this one, or that the session's client
// keeps it out of all answers.
func (t *Table) Tell(id api.SessionID, through api.DropNumber) {
	if s := t.sessions[id]; s != nil {
		s.told = max(s.told, through)
	}
}

// Oldest returns when the oldest unacknowledged drop of a session was queued, and whether Tell was called
// for it; zero: it has acknowledged all.
func (t *Table) Oldest(id api.SessionID) (queued time.Time, told bool) {
	if s := t.sessions[id]; s != nil && len(s.pending) > 0 {
		return s.pending[0].queued, s.pending[0].number <= s.told
	}
	return time.Time{}, false
}
