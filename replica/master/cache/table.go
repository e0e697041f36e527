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
	PerSession int // paths that a session may have in its cache, plus the drops that it has not acknowledged
	Total      int // registrations, of all sessions
}

// DefaultLimits are the limits unless a cell is configured otherwise.
var DefaultLimits = Limits{PerSession: 1 << 12, Total: 1 << 20}

// Validate returns an error unless each limit is at least 1.
func (l Limits) Validate() error {
	if min(l.PerSession, l.Total) < 1 {
		return errors.New("a limit of cached paths below 1")
	}
	return nil
}

// Table remembers, for one epoch, which sessions may have which paths in their caches. One goroutine owns
// it. Make it with New.
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
	seq  api.Seq        // the latest call for which it was made
	drop api.DropNumber // the drop under way that will end it; 0: there is none
}

// session is what the table knows of one session. It stays until the session ends: drop numbers must
// not begin again.
type session struct {
	last    api.DropNumber // the last that was queued
	told    api.DropNumber // the last that was in an answer
	all     api.DropNumber // the drop of all that is under way; 0: there is none
	paths   map[api.Path]*registration
	pending []pending // drops that are not acknowledged, in order
	clean   int       // registrations without a drop under way
	locks   int       // of pending: those of locks
}

// pending is a drop that is not acknowledged.
type pending struct {
	number api.DropNumber
	path   api.Path  // empty if number is session.all
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

// remove removes a registration. A drop that is under way for it stays under way.
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

// EndSession forgets a session that has ended. It returns, in order, the paths for which it had a
// registration, and those of locks that it was told to drop.
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

// Sessions lists the sessions of which the table knows something, in order. Each is alive.
func (t *Table) Sessions() []api.SessionID { return slices.Sorted(maps.Keys(t.sessions)) }
