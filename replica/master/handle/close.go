package handle

import "github.com/chubbycell/chubby/replica/api"

// Closing is a handle that was closed.
type Closing struct {
	Handle Handle
	// Last says that the node is ephemeral and that no handle on it is open in this
	// table. While clients are still presenting the handles that they had with the
	// former master, this is no reason to delete the node.
	Last bool
}

// Close ends a handle for this epoch: no duplicate of a call makes it again. Good; or
// Closed, and nothing happens; or Malformed, Forged, Foreign, Future. A handle of a
// predecessor need not be recreated to be closed; it may hold a lock in the rows,
// like any other.
func (t *Table) Close(s api.SessionID, token api.Token) (Closing, Verdict) {
	h, v := t.Use(s, token)
	switch v {
	case Good, Poisoned:
		of := t.sessions[s]
		last := t.drop(of, h)
		t.remember(of, h.ID)
		return Closing{h, last}, Good
	case Old:
		t.remember(t.session(s), h.ID)
		return Closing{h, h.Ephemeral && t.openers[h.Node] == 0}, Good
	}
	return Closing{Handle: h}, v
}

// remember notes that an older handle is closed. Those of this epoch need no
// note: what was given out and is not open is closed. A session that closes more than it may
// gets none of the others back.
func (t *Table) remember(of *session, id api.HandleID) {
	if id.Epoch == t.epoch || of.shut {
		return
	}
	if len(of.gone) == t.limits.Closed {
		of.shut = true
		clear(of.gone)
		return
	}
	if of.gone == nil {
		of.gone = map[api.HandleID]struct{}{}
	}
	of.gone[id] = struct{}{}
}

// Poison makes a handle useless and leaves it open: Good, or what Use says; an Old
// one is recreated first.
func (t *Table) Poison(s api.SessionID, token api.Token) Verdict {
	h, v := t.Use(s, token)
	if v == Good {
		t.sessions[s].open.get(h.ID).poisoned = true
		t.watchers.remove(h)
	}
	return v
}

// EndSession closes all handles of a session and forgets it. The handles are those
// that are open in this table, by id.
func (t *Table) EndSession(s api.SessionID) (all []Closing) {
	for _, h := range t.Handles(s) {
		all = append(all, Closing{h, t.drop(t.sessions[s], h)})
	}
	delete(t.sessions, s)
	return all
}
