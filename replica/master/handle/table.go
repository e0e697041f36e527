package handle

import (
	"maps"
	"slices"

	"github.com/chubbycell/chubby/replica/api"
)

// Limits bound the memory of a table. Each is at least 1.
type Limits struct {
	PerSession int // open handles of one session
	Total      int // open handles of all, but for those of Keep
	Closed     int // handles of earlier epochs that a session may close, and have others taken up
}

// DefaultLimits are those of a cell that was not told others.
var DefaultLimits = Limits{PerSession: 1 << 12, Total: 1 << 20, Closed: 1 << 14}

// Table is what the present master remembers of handles, in one epoch. It begins
// empty and is thrown away with the mastership. Its methods take sessions that
// the caller has found alive; what it keeps for a session it keeps until
// EndSession.
type Table struct {
	epoch    api.Epoch
	sealer   Sealer
	limits   Limits
	given    uint64 // handles given out in this epoch
	ties     uint64 // of handles to sequencers, made in this epoch
	total    int
	beyond   int // how many are open above limits.Total, by Keep
	sessions map[api.SessionID]*session
	openers  map[api.Ref]int // ephemeral nodes: how many handles
	watchers watchers
}

// session holds what belongs to one session.
type session struct {
	open  openHandles
	seen  api.Seq
	calls givenOuts                 // by Opens above seen, closed or not
	gone  map[api.HandleID]struct{} // of older epochs, closed in this one; nil: none
	shut  bool                      // gone would be too large: nothing older is taken up any more
}

type entry struct {
	Handle
	poisoned bool
	untested bool
}

// New returns the table of the master of an epoch.
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

// Room is how many handles more may be open: of one session, and of all.
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

// drop takes an open handle away; last says that it was the last one on an
// ephemeral node.
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

// Sessions are those that the table remembers something of, in order.
func (t *Table) Sessions() []api.SessionID { return slices.Sorted(maps.Keys(t.sessions)) }

// Epoch is the epoch whose handles the table gives out.
func (t *Table) Epoch() api.Epoch { return t.epoch }

// Len counts the open handles of all sessions.
func (t *Table) Len() int { return t.total }

// CountOpen counts the open handles on an ephemeral node. Right after a change of
// masters, clients have not presented theirs yet.
func (t *Table) CountOpen(n api.Ref) int { return t.openers[n] }

// Has reports whether a handle is open in this epoch: given out, or presented. So an
// owner of a lock that the table does not have after the fail-over has not come
// back.
func (t *Table) Has(s api.SessionID, id api.HandleID) bool {
	of, ok := t.sessions[s]
	return ok && of.open.get(id) != nil
}

// IsUntested reports whether an open handle was given out to a duplicate of an Open that was
// executed before. Its rights are to be asked for whenever it is used: they may be
// gone by now, or another duplicate with the same number may have asked for less.
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
