package handle

import (
	"slices"

	"github.com/chubbycell/chubby/replica/api"
)

// watchers holds the open handles whose clients want events, by node, except poisoned ones, for which
// clients have no use.
type watchers map[api.Ref]map[api.HandleID]watcher

type watcher struct {
	session api.SessionID
	mask    api.EventMask
}

func (w watchers) add(h Handle) {
	if h.Events == 0 {
		return
	}
	if w[h.Node] == nil {
		w[h.Node] = map[api.HandleID]watcher{}
	}
	w[h.Node][h.ID] = watcher{h.Session, h.Events}
}

func (w watchers) remove(h Handle) {
	of := w[h.Node]
	delete(of, h.ID)
	if len(of) == 0 {
		delete(w, h.Node)
	}
}

// Watchers lists, in ascending order, the sessions that have a handle open on a node and asked for
// events of this kind.
func (t *Table) Watchers(n api.Ref, k api.EventKind) []api.SessionID {
	var all []api.SessionID
	for _, w := range t.watchers[n] { // order-free: sorted below
		if w.mask.Has(k) {
			all = append(all, w.session)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Wants reports whether an open handle asks for events of this kind.
func (t *Table) Wants(s api.SessionID, id api.HandleID, k api.EventKind) bool {
	of, ok := t.sessions[s]
	if !ok {
		return false
	}
	e := of.open.get(id)
	if e == nil {
		return false
	}
	_, watches := t.watchers[e.Node][id]
	return watches && e.Events.Has(k)
}

// CountWatchers counts the open handles on a node that ask for events, in constant time.
func (t *Table) CountWatchers(n api.Ref) int { return len(t.watchers[n]) }

// IsWatching reports whether a session has a handle open on a node for which it gets events. It looks at
// the handles of the session or at those that watch the node, whichever are fewer: all clients of a cell
// may watch one node, and each of them asks when it closes a handle.
func (t *Table) IsWatching(s api.SessionID, n api.Ref) bool {
	of, ok := t.sessions[s]
	all := t.watchers[n]
	switch {
	case !ok || len(all) == 0:
		return false
	case len(all) < len(of.open):
		for _, w := range all { // order-free: any one will do
			if w.session == s {
				return true
			}
		}
		return false
	}
	return slices.ContainsFunc(of.open, func(e *entry) bool { return e.Node == n && e.Events != 0 && !e.poisoned })
}
