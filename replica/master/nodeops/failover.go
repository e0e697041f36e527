package nodeops

import (
	"cmp"
	"maps"
	"slices"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
)

// proposing says whether a command of Ops itself is proposed; if not, it waits until the log takes more.
type proposing bool

// Present recreates the handle of a token that a client presents to the new master, and returns OK or
// why it cannot. A handle that holds a lock, keeps an ephemeral node or watches is recreated even if other
// sessions have used up all the room. Otherwise the lock would be freed or the node swept although the
// client counts on it, or the client would get no events and believe that nothing happens. If the session
// itself has no room, the client of a watching handle is told to read again.
func (o *Ops) Present(at At, s api.SessionID, token api.Token) api.Code {
	h, code, _ := o.use(at, s, token)
	if code == api.Crowded {
		code = o.keep(at, s, token, h)
	}
	if code == api.Crowded || code == api.Gone {
		o.tellPresented(h, code)
	}
	return code
}

// keep recreates a handle beyond the total limit, if it has one of the reasons of Present: OK, or Crowded.
func (o *Ops) keep(at At, s api.SessionID, token api.Token, h handle.Handle) api.Code {
	if _, holds := lock.GetHold(at.Rows, h.Node, ownerOf(h)); !holds && !h.Ephemeral && h.Events == 0 {
		return api.Crowded
	}
	if _, v := o.handles.Keep(s, token); v != handle.Good {
		return api.Crowded
	}
	o.count.Recreated++
	return api.OK
}

// EpochAcked tells Ops that a session has presented all its handles. Locks that other handles of the
// session hold are freed as if these had failed, since the client does not know of them. EpochAcked may
// be called again.
func (o *Ops) EpochAcked(at At, s api.SessionID) {
	if o.over {
		return
	}
	delete(o.presented, s)
	for _, h := range lock.HoldingsOf(at.Rows, s) {
		if _, known := o.failing[h.Owner]; !known && !o.handles.Has(s, h.Owner.Handle) {
			o.failing[h.Owner] = false
			o.count.Failed++
		}
	}
	o.failUnpresented()
}

// failUnpresented proposes FailHandle for the owners in failing for which it is not proposed yet.
func (o *Ops) failUnpresented() {
	for _, owner := range slices.SortedFunc(maps.Keys(o.failing), compareOwners) {
		if !o.failing[owner] {
			o.failing[owner] = true
			o.propose(command.FailHandle{Guard: o.epoch, Session: owner.Session, Handle: owner.Handle})
		}
	}
}

func (o *Ops) onFailRefused(c command.FailHandle) {
	owner := lock.Owner{Session: c.Session, Handle: c.Handle}
	if _, ok := o.failing[owner]; ok {
		o.failing[owner] = false
	}
}

func compareOwners(a, b lock.Owner) int {
	return cmp.Or(cmp.Compare(a.Session, b.Session), a.Handle.Compare(b.Handle))
}

// answerEarlierGrant answers an Acquire with a grant from before the epoch. If a duplicate was granted
// then (now is false), and the handle was not presented, its lock was freed since: the answer is NotHeld.
// If the Acquire was executed just now, because its handle holds the lock since before, the grant is the
// answer, and stays it for duplicates: a Close that the client sent behind it, and that may be in the rows
// already, has its own answer.
func (o *Ops) answerEarlierGrant(at At, c *calls.Call, op api.Acquire, r api.Result, h api.Held, now bool) {
	x, v := o.handles.Use(c.Session, op.Handle)
	hold, ok := lock.GetHold(at.Rows, x.Node, ownerOf(x))
	if !now && (codeOf(v) == api.BadHandle || !ok || hold.Acquisition != h.Acquisition) {
		r = api.Result{Code: api.NotHeld}
	}
	o.tell(c, r)
}

// IsReady reports whether no owner of a lock remains to be failed. Until then the master must not serve:
// a handle could be told that it holds its lock and lose the lock afterwards.
func (o *Ops) IsReady() bool { return len(o.failing) == 0 }
