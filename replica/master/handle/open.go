package handle

import "github.com/chubbycell/chubby/replica/api"

// Opening is an Open that was allowed: its call, and the handle to give out.
type Opening struct {
	Session   api.SessionID
	Seq, Seen api.Seq // Seq and AckedThrough of the call, as api.Request.Check demands
	Node      api.Ref
	Kind      api.NodeKind
	Ephemeral bool
	Rights    api.Rights
	Delay     api.LockDelay // Open uses Delay.Bound()
	Events    api.EventMask
	// Untested says that the Open was executed before, so that it is not known whether its
	// principal has the rights that this duplicate names (Table.IsUntested).
	Untested bool
}

// Open gives out a handle. It returns Good, Full, GivenUp, or Closed if the handle that this call
// opened was closed since. A duplicate of a call that has opened a handle gets the same handle,
// whatever the duplicate asks for: the client sent it again because the answer was lost, and must not
// have a handle that it does not know.
func (t *Table) Open(o Opening) (api.Token, Handle, Verdict) {
	of := t.session(o.Session)
	of.see(o.Seen)
	if o.Seq <= of.seen {
		return "", Handle{}, GivenUp
	}
	if id, ok := of.calls.get(o.Seq); ok {
		e := of.open.get(id)
		if e == nil {
			return "", Handle{}, Closed
		}
		return t.sealer.Seal(e.Handle), e.Handle, Good
	}
	if !t.hasRoom(of) {
		return "", Handle{}, Full
	}
	t.given++
	h := Handle{
		ID: api.HandleID{Epoch: t.epoch, Counter: t.given}, Session: o.Session, Node: o.Node,
		Kind: o.Kind, Ephemeral: o.Ephemeral, Rights: o.Rights, Delay: o.Delay.Bound(), Events: o.Events,
	}
	t.put(of, h)
	of.open.get(h.ID).untested = o.Untested
	of.calls.put(givenOut{o.Seq, h.ID})
	return t.sealer.Seal(h), h, Good
}

// see forgets the calls up to seen, which the client has acknowledged. Their duplicates get GivenUp
// from now on.
func (of *session) see(seen api.Seq) {
	if seen <= of.seen {
		return
	}
	of.calls.dropThrough(seen)
	of.seen = seen
}

// Use judges a token that a session presents. It returns Good or Poisoned with the open handle; Old or
// Closed with the handle as the token has it; or Malformed, Forged, Foreign or Future without a handle.
// If the token has a later tie than the open handle, the handle is tied so from now on.
func (t *Table) Use(s api.SessionID, token api.Token) (Handle, Verdict) {
	h, v := t.sealer.Unseal(token)
	switch {
	case v != Good:
		return Handle{}, v
	case h.Session != s:
		return Handle{}, Foreign
	case h.ID.Epoch > t.epoch, h.Tie.Epoch > t.epoch:
		return Handle{}, Future
	case h.ID.Epoch == t.epoch && h.ID.Counter > t.given, h.Tie.Epoch == t.epoch && h.Tie.Counter > t.ties:
		return Handle{}, Forged // sealed with the secret, but never given out: the secret has leaked
	}
	of, ok := t.sessions[s]
	if ok && of.open.get(h.ID) != nil {
		e := of.open.get(h.ID)
		e.updateTie(h)
		if e.poisoned {
			return e.Handle, Poisoned
		}
		return e.Handle, Good
	}
	if h.ID.Epoch == t.epoch || ok && of.isClosed(h.ID) {
		return h, Closed
	}
	return h, Old
}

// isClosed reports whether a handle of an older epoch that is not open was closed in this one.
func (of *session) isClosed(id api.HandleID) bool {
	_, gone := of.gone[id]
	return gone || of.shut
}

// Recreate opens a handle of an older epoch again, with the rights that it had. The caller has found
// that Use says Old and that the node's instance exists; rights are checked by the calls that need
// them. It returns Good, even if the handle was recreated before; or Full; or else the verdict of Use.
func (t *Table) Recreate(s api.SessionID, token api.Token) (Handle, Verdict) {
	return t.recreate(s, token, false)
}

// Keep is Recreate for a handle that must not be lost, because its session holds a lock by it, keeps
// an ephemeral node open or watches. It ignores Limits.Total, but not Limits.PerSession. Otherwise a
// lock would be freed, or a node swept, on which a client counts:
//
//	the table of the old master is full, and ann holds a lock by one of its handles; bob has a
//	handle of a still older epoch; after a fail-over bob presents his handles first, all of them,
//	and there is no room for ann's
func (t *Table) Keep(s api.SessionID, token api.Token) (Handle, Verdict) {
	return t.recreate(s, token, true)
}

func (t *Table) recreate(s api.SessionID, token api.Token, keep bool) (Handle, Verdict) {
	h, v := t.Use(s, token)
	if v != Old {
		return h, v
	}
	of := t.session(s)
	switch {
	case t.hasRoom(of):
	case keep && len(of.open) < t.limits.PerSession:
		t.beyond++
	default:
		return Handle{}, Full
	}
	t.put(of, h)
	return h, Good
}
