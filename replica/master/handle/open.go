package handle

import "github.com/chubbycell/chubby/replica/api"

// Opening is an Open that was allowed: the call that asked for it, and what the
// handle is to be.
type Opening struct {
	Session   api.SessionID
	Seq, Seen api.Seq // of the call, as api.Request.Check wants them
	Node      api.Ref
	Kind      api.NodeKind
	Ephemeral bool
	Rights    api.Rights
	Delay     api.LockDelay // taken in as Delay.Bound()
	Events    api.EventMask
	// Untested: the Open was executed before, and it was not tested whether its session
	// has the rights that this duplicate of it names (Table.IsUntested).
	Untested bool
}

// Open gives out a handle: Good, Full, GivenUp, or Closed where the call has
// opened one that was closed since. A duplicate of a call that has opened one gets the
// same, whatever the duplicate asks for: the client sent it again because the answer
// was lost, and must not own a handle that it does not know.
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

// see forgets the calls that the client does not wait for any more. Their duplicates
// are answered GivenUp from now on.
func (of *session) see(seen api.Seq) {
	if seen <= of.seen {
		return
	}
	of.calls.dropThrough(seen)
	of.seen = seen
}

// Use says what a token that a session presents is good for: Good, and the handle
// as it is now; Old, and the handle as it was; Closed or Poisoned, and the handle
// as it was; or Malformed, Forged, Foreign, Future, and no handle. An open handle is tied
// from the first token on that tells of the tie, and of two ties by the later one.
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
		return Handle{}, Forged // well made, but not given out: the secret is known outside of the cell
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

// isClosed is about handles of older epochs that are not open.
func (of *session) isClosed(id api.HandleID) bool {
	_, gone := of.gone[id]
	return gone || of.shut
}

// Recreate opens a handle again that a predecessor gave out, with the rights that
// it had. Before, the caller has found the token Old, the node's instance there,
// and the session's principal still to have the rights. Good, also if it was
// recreated before; or Full; or what Use says.
func (t *Table) Recreate(s api.SessionID, token api.Token) (Handle, Verdict) {
	return t.recreate(s, token, false)
}

// Keep is Recreate for a handle by which its session holds a lock, or keeps a node: it
// needs no room but its session's. What others may open with that room is less: a lock
// would be freed, or a node swept, in which a client believes.
//
//	bob has an old handle under way to a lock, which is not open: for that there was no
//	room; there is a fail-over, he presents that one first, and ann's finds none
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
