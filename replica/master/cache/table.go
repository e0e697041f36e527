package cache

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// Limits bound what a table remembers.
type Limits struct {
	PerSession int // paths that a session may have in its cache, with the drops that it has not acknowledged
	Total      int // registrations, of all sessions
}

// DefaultLimits are those of a cell that was not told others.
var DefaultLimits = Limits{PerSession: 1 << 12, Total: 1 << 20}

// Validate returns an error unless the limits allow for one path.
func (l Limits) Validate() error {
	if min(l.PerSession, l.Total) < 1 {
		return errors.New("a limit of cached paths below 1")
	}
	return nil
}

// Table is which sessions may have which paths in their caches, in one epoch. One goroutine owns it.
// Make it with New.
type Table struct {
	limits   Limits
	paths    map[api.Path]map[api.SessionID]*registration
	sessions map[api.SessionID]*session
	held     map[api.Path]int // how many changes hold a path; none is 0
	total    int              // registrations
	pending  int              // drops that are not acknowledged
	count    Counters
}

// registration says that a session may have a path in its cache.
type registration struct {
	made api.DropNumber // the last drop that was queued when the latest answer was sent
	seq  api.Seq        // the latest call that it was made for
	drop api.DropNumber // the drop that ends it, under way; 0: none is
}

// session is what belongs to one session. It stays as long as the session: its numbers go on.
type session struct {
	last    api.DropNumber // that was queued
	told    api.DropNumber // that was in an answer
	all     api.DropNumber // the drop of all that is under way; 0: none is
	paths   map[api.Path]*registration
	pending []pending // drops that are not acknowledged, in order
	clean   int       // registrations without a drop under way
	locks   int       // of pending: those of locks
}

// pending is a drop that is not acknowledged.
type pending struct {
	number api.DropNumber
	path   api.Path  // unless number is session.all
	locks  bool      // it is of locks, not of the cache
	queued time.Time // by the master's clock
}

// New returns the empty table of an epoch.
func New(l Limits) *Table {
	return &Table{
		limits: l, sessions: map[api.SessionID]*session{}, held: map[api.Path]int{},
		paths: map[api.Path]map[api.SessionID]*registration{},
	}
}

// remove takes a registration away. What is under way to its session stays so.
func (t *Table) remove(p api.Path, id api.SessionID) {
	s, cachers := t.sessions[id], t.paths[p]
	if s.paths[p].drop == 0 {
		s.clean--
	}
	delete(s.paths, p)
	if delete(cachers, id); len(cachers) == 0 {
		delete(t.paths, p)
	}
	t.total--
}

// EndSession forgets a session that has ended, and returns the paths that it might have had, or held locks
// of that it was told to drop, in order.
func (t *Table) EndSession(id api.SessionID) []api.Path {
	s := t.sessions[id]
	if s == nil {
		return nil
	}
	freed := slices.SortedFunc(maps.Keys(s.paths), api.Path.Compare)
	for _, p := range freed {
		t.remove(p, id)
	}
	for _, d := range s.pending {
		if d.locks {
			freed = append(freed, d.path)
		}
	}
	t.pending -= len(s.pending)
	delete(t.sessions, id)
	slices.SortFunc(freed, api.Path.Compare)
	return slices.Compact(freed)
}

// Sessions are those of which something is known, in order. Each is alive.
func (t *Table) Sessions() []api.SessionID { return slices.Sorted(maps.Keys(t.sessions)) }
