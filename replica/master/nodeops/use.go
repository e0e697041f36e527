package nodeops

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/state/acl"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// resolve returns the handle that a token names, and OK if it may be used with the right need; 0: no
// right is needed. A handle of an older epoch is recreated (CHU §2.9, step 8). If need is not 0, and the
// handle is of an older epoch or untested, its principal must still have the rights of the handle, which
// may have been taken away since it was opened. Without need they are not checked: a client that has lost
// its rights may still release its lock and close its handle, on which it counts since nothing has told
// it otherwise.
func (o *Ops) resolve(at At, s api.SessionID, who api.Principal, token api.Token, need api.Rights) (handle.Handle, api.Code) {
	h, code, anew := o.use(at, s, token)
	if anew {
		o.tellMissed(h)
	}
	switch {
	case code != api.OK || need == 0:
	case !h.Rights.Has(need):
		code = api.NoRight
	case h.ID.Epoch < o.epoch || o.handles.IsUntested(s, h.ID):
		code = o.checkRights(at, who, h)
	}
	return h, code
}

// use returns the handle of a token, or why it cannot be used. A handle of an older epoch is recreated; anew
// says that this was done.
func (o *Ops) use(at At, s api.SessionID, token api.Token) (h handle.Handle, code api.Code, anew bool) {
	h, v := o.handles.Use(s, token)
	if v != handle.Old {
		return h, codeOf(v), false
	}
	code = o.recreate(at, s, token, h)
	return h, code, code == api.OK
}

// checkRights returns OK if the principal has the rights of the handle by the present ACLs.
func (o *Ops) checkRights(at At, who api.Principal, h handle.Handle) api.Code {
	stat, code := tree.Stat(at.Rows, h.Node)
	if code == api.OK && !o.hasRights(at, stat, h.Rights, who) {
		code = api.Permission
	}
	return code
}

func codeOf(v handle.Verdict) api.Code {
	switch v {
	case handle.Good, handle.Old:
		return api.OK
	case handle.Closed:
		return api.HandleClosed
	case handle.Poisoned:
		return api.HandlePoisoned
	}
	return api.BadHandle
}

// recreate recreates a handle of an older epoch if its node still exists and there is room.
func (o *Ops) recreate(at At, s api.SessionID, token api.Token, h handle.Handle) api.Code {
	_, code := tree.Stat(at.Rows, h.Node)
	switch {
	case code != api.OK:
		return code
	case !o.hasRoom(s):
		return api.Crowded
	}
	o.handles.Recreate(s, token)
	o.count.Recreated++
	return api.OK
}

func (o *Ops) hasRights(at At, stat api.Stat, want api.Rights, who api.Principal) bool {
	return acl.Check(tree.Files{Reader: at.Rows}, stat.Names, want, who) == api.OK
}

// hasRoom reports whether the session may have one more handle, beyond those that proposed Opens will
// need.
func (o *Ops) hasRoom(s api.SessionID) bool {
	own, all := o.handles.Room(s)
	ownOpens, allOpens := o.calls.Opens(s)
	return ownOpens < own && allOpens < all
}

func ownerOf(h handle.Handle) lock.Owner { return lock.Owner{Session: h.Session, Handle: h.ID} }
