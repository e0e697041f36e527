package handle

import "github.com/chubbycell/chubby/replica/api"

// Closing is a handle that was closed.
type Closing struct {
	Handle Handle
	// Last says that the node is ephemeral and that no handle on it is open in this
	// table. After a fail-over clients may not have presented their handles yet, so Last
	// alone is then no reason to delete the node.
	Last bool
}

// Close closes a handle for this epoch: no duplicate of a call recreates it. It returns Good; or
// Closed, and changes nothing; or Malformed, Forged, Foreign or Future. A handle of an older epoch
// need not be recreated first. Any closed handle may still hold a lock in the rows.
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

// remember notes that a handle of an older epoch is closed. A handle of this epoch needs no note: it
// was given out and is not open, so it is closed. If a session closes more than Limits.Closed, none of
// its other handles of older epochs can be recreated.
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

// Poison makes a handle useless and leaves it open. It returns Good, or else the verdict of Use. The
// caller must Recreate an Old handle first.
func (t *Table) Poison(s api.SessionID, token api.Token) Verdict {
	h, v := t.Use(s, token)
	if v == Good {
		t.sessions[s].open.get(h.ID).poisoned = true
		t.watchers.remove(h)
	}
	return v
}

// EndSession closes all open handles of a session, forgets the session, and returns the handles by
// id.
func (t *Table) EndSession(s api.SessionID) (all []Closing) {
	for _, h := range t.Handles(s) {
		all = append(all, Closing{h, t.drop(t.sessions[s], h)})
	}
	delete(t.sessions, s)
	return all
}
