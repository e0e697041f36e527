package calls

import (
	"maps"

	"github.com/chubbycell/chubby/replica/api"
)

// counts counts the calls of one session by state.
type counts struct {
	awaited  int // calls with a duplicate that waits for the answer
	onNodes  int // calls on nodes that are under way
	commands int // calls that a command decides
	opens    int // Opens that are proposed
	barred   int // calls that wait for caches
	queued   int // commands in the queue
}

func (x *counts) count(c *Call, by int) {
	if c.Awaited {
		x.awaited += by
	}
	if c.State.onNode() {
		x.onNodes += by
	}
	if c.State.needsCommand() {
		x.commands += by
	}
	if c.Place == InQueue {
		x.queued += by
	}
	if c.State == Barred {
		x.barred += by
	}
	if c.State == Proposed && c.Kind == Opens {
		x.opens += by
	}
}

// totals counts the calls of all sessions by state.
type totals struct {
	counts
	kept     int // answers that are kept
	logged   int
	proposed int
	opensAt  map[api.Path]int
	acquires map[api.HandleID]int
	releases map[api.HandleID]int
}

func newTotals() totals {
	return totals{opensAt: map[api.Path]int{}, acquires: map[api.HandleID]int{}, releases: map[api.HandleID]int{}}
}

// count adds a call to the counts (by = 1), or takes it away (by = -1).
func (x *totals) count(c *Call, by int) {
	x.counts.count(c, by)
	switch c.State {
	case Logged:
		x.logged += by
	case Proposed:
		x.proposed += by
		x.countAttempt(c.Attempt, by)
	}
}

func (x *totals) countAttempt(a Attempt, by int) {
	switch a.Kind {
	case Acquires:
		add(x.acquires, a.Handle.ID, by)
	case Releases:
		add(x.releases, a.Handle.ID, by)
	case Opens:
		add(x.opensAt, a.Path, by)
	}
}

func (x *totals) equal(y *totals) bool {
	return x.counts == y.counts && x.kept == y.kept && x.logged == y.logged && x.proposed == y.proposed &&
		maps.Equal(x.opensAt, y.opensAt) && maps.Equal(x.acquires, y.acquires) && maps.Equal(x.releases, y.releases)
}

func add[K comparable](counts map[K]int, k K, by int) {
	if counts[k] += by; counts[k] == 0 {
		delete(counts, k)
	}
}

func (t *Table) count(c *Call, by int) {
	t.totals.count(c, by)
	if s := t.sessions[c.Session]; s != nil {
		s.counts.count(c, by)
	}
}

// Waiting counts the calls with a duplicate that waits for the answer.
func (t *Table) Waiting() int { return t.totals.awaited }

// IsAwaited reports whether a duplicate of some call of a session waits for the answer.
func (t *Table) IsAwaited(id api.SessionID) bool {
	s, ok := t.sessions[id]
	return ok && s.counts.awaited > 0
}

// Logged counts the calls on rows that a command decides.
func (t *Table) Logged() int { return t.totals.logged }

// Proposed counts the calls on nodes that a command decides.
func (t *Table) Proposed() int { return t.totals.proposed }

// Queued counts the commands of calls that are in the queue in front of the log.
func (t *Table) Queued() int { return t.totals.queued }

// IsQueued reports whether the queue in front of the log has a command of a call of a session.
func (t *Table) IsQueued(id api.SessionID) bool {
	s, ok := t.sessions[id]
	return ok && s.counts.queued > 0
}

// Barred counts the calls in the state Barred.
func (t *Table) Barred() int { return t.totals.barred }

// Opens counts the Opens that are proposed, of one session and of all sessions.
func (t *Table) Opens(id api.SessionID) (own, all int) {
	if s, ok := t.sessions[id]; ok {
		own = s.counts.opens
	}
	return own, t.totals.opens
}

// OpensAt counts the Opens of a path that are proposed.
func (t *Table) OpensAt(p api.Path) int { return t.totals.opensAt[p] }

// Acquires counts the Acquires by a handle that are proposed.
func (t *Table) Acquires(h api.HandleID) int { return t.totals.acquires[h] }

// Releases counts the Releases by a handle that are proposed.
func (t *Table) Releases(h api.HandleID) int { return t.totals.releases[h] }
