package handle

import (
	"maps"
	"slices"

	"github.com/chubbycell/chubby/replica/api"
)

// Limits bound the memory of a table. Each is at least 1.
type Limits struct {
	PerSession int // open handles of one session
	Total      int // open handles of all sessions; Keep may exceed it
	Closed     int // handles of older epochs that a session may close without losing its other ones
}

// DefaultLimits are the limits unless a cell is configured otherwise.
var DefaultLimits = Limits{PerSession: 1 << 12, Total: 1 << 20, Closed: 1 << 14}

// Table is what the present master remembers of handles, in one epoch. It begins empty and is thrown
// away when the epoch ends. One goroutine owns it. The caller has found the sessions that it names
// alive, and calls EndSession when one ends.
type Table struct {
	epoch    api.Epoch
	sealer   Sealer
	limits   Limits
	given    uint64 // handles given out in this epoch
	ties     uint64 // ties of handles to sequencers that were made in this epoch
	total    int    // handles that are open
	beyond   int    // handles that Keep has opened above limits.Total
	sessions map[api.SessionID]*session
	openers  map[api.Ref]int // for each ephemeral node, how many handles have it open
	watchers watchers
}

// session is what the table knows of one session.
type session struct {
	open  openHandles
	seen  api.Seq                   // the client has acknowledged its calls up to this one
	calls givenOuts                 // the handles that Opens above seen gave out, closed or not
	gone  map[api.HandleID]struct{} // handles of older epochs that were closed in this one
	shut  bool                      // gone would be too large: no handle of an older epoch is recreated
}

type entry struct {
	Handle
	poisoned bool
	untested bool
}

// New returns the empty table of an epoch.
func New(epoch api.Epoch, s Sealer, l Limits) *Table {
	return &Table{epoch: epoch, sealer: s, limits: l, sessions: map[api.SessionID]*session{}, openers: map[api.Ref]int{}, watchers: watchers{}}
}

func (t *Table) session(s api.SessionID) *session {
	of, ok := t.sessions[s]
	if !ok {
		of = &session{}
		t.sessions[s] = of
	}
	return of
}

func (t *Table) hasRoom(of *session) bool {
	return len(of.open) < t.limits.PerSession && t.total < t.limits.Total
}

// Room returns how many more handles may be opened, by one session and by all.
func (t *Table) Room(s api.SessionID) (own, all int) {
	own = t.limits.PerSession
	if of, ok := t.sessions[s]; ok {
		own -= len(of.open)
	}
	return own, max(0, t.limits.Total-t.total)
}

// HasHandles reports whether a session has an open handle.
func (t *Table) HasHandles(s api.SessionID) bool {
	of, ok := t.sessions[s]
	return ok && len(of.open) > 0
}

func (t *Table) put(of *session, h Handle) {
	of.open.put(&entry{Handle: h})
	t.total++
	if h.Ephemeral {
		t.openers[h.Node]++
	}
	t.watchers.add(h)
}

// drop removes an open handle; last says that it was the last one on an ephemeral node.
func (t *Table) drop(of *session, h Handle) (last bool) {
	of.open.remove(h.ID)
	t.total--
	t.watchers.remove(h)
	t.beyond = min(t.beyond, max(0, t.total-t.limits.Total))
	if !h.Ephemeral {
		return false
	}
	t.openers[h.Node]--
	if t.openers[h.Node] > 0 {
		return false
	}
	delete(t.openers, h.Node)
	return true
}

// Sessions lists the sessions of which the table remembers something, in order.
func (t *Table) Sessions() []api.SessionID { return slices.Sorted(maps.Keys(t.sessions)) }

// Epoch returns the epoch of the table.
func (t *Table) Epoch() api.Epoch { return t.epoch }

// Len counts the open handles of all sessions.
func (t *Table) Len() int { return t.total }

// CountOpen counts the open handles on an ephemeral node. Soon after a fail-over, clients may not have
// presented all of theirs.
func (t *Table) CountOpen(n api.Ref) int { return t.openers[n] }

// Has reports whether a handle is open, because it was given out or recreated in this epoch. The owner
// of a lock for which it returns false after the fail-over was not presented.
func (t *Table) Has(s api.SessionID, id api.HandleID) bool {
	of, ok := t.sessions[s]
	return ok && of.open.get(id) != nil
}

// IsUntested reports whether an open handle was given out to a duplicate of an Open that was executed
// before. Each call that needs a right must check it: the rights may have been taken away, or another
// duplicate with the same number may have asked for fewer.
func (t *Table) IsUntested(s api.SessionID, id api.HandleID) bool {
	of, ok := t.sessions[s]
	if !ok {
		return false
	}
	e := of.open.get(id)
	return e != nil && e.untested
}

// CountOf counts the open handles of a session, poisoned ones too.
func (t *Table) CountOf(s api.SessionID) int {
	if of, ok := t.sessions[s]; ok {
		return len(of.open)
	}
	return 0
}

// Handles lists the open handles of a session by id, poisoned ones too.
func (t *Table) Handles(s api.SessionID) []Handle {
	of, ok := t.sessions[s]
	if !ok {
		return nil
	}
	var all []Handle
	for _, e := range of.open {
		all = append(all, e.Handle)
	}
	return all
}
