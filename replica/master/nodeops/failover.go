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

// proposing says whether a command of Ops's own is proposed, or waits until
// the log takes more.
type proposing bool

// Present takes up the handle of a token that a client has brought to the new
// master: OK, or why not. Its principal is that of the session. What holds a lock or
// keeps a node is taken up though others have taken all the room that there is, and so is what
// hears of events: its client would hear nothing, and believe that nothing happens.
func (o *Ops) Present(at At, s api.SessionID, who api.Principal, token api.Token) api.Code {
	h, code := o.resolve(at, s, who, token, 0)
	switch code {
	case api.Crowded:
		code = o.keep(at, s, token, h)
	case api.Gone:
	default:
		return code
	}
	if code != api.OK {
		o.tellInvalid(h)
	}
	return code
}

// keep takes up a handle though there is no room for others: OK, or Crowded.
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

// EpochAcked tells that a session has presented all that it has. What its other
// handles hold is freed, as from holders that failed: the client does not know of them. It
// may be called again.
func (o *Ops) EpochAcked(at At, s api.SessionID) {
	if o.over {
		return
	}
	for _, h := range lock.HoldingsOf(at.Rows, s) {
		if _, known := o.failing[h.Owner]; !known && !o.handles.Has(s, h.Owner.Handle) {
			o.failing[h.Owner] = false
			o.count.Failed++
		}
	}
	o.failUnpresented()
}

// failUnpresented proposes what is not proposed yet.
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

// answerEarlierGrant answers an Acquire that was granted before the epoch, whose client may
// not know that yet. If it did not present the handle, the lock was freed: it must
// not be told that it holds it. An Acquire that is granted
// now what its handle holds since before is answered so, as often as it comes: that the rows
// have the Close as well, which the client sent behind it, is another answer.
func (o *Ops) answerEarlierGrant(at At, c *calls.Call, op api.Acquire, r api.Result, h api.Held, now bool) {
	x, v := o.handles.Use(c.Session, op.Handle)
	hold, ok := lock.GetHold(at.Rows, x.Node, ownerOf(x))
	if !now && (codeOf(v) == api.BadHandle || !ok || hold.Acquisition != h.Acquisition) {
		r = api.Result{Code: api.NotHeld}
	}
	o.tell(c, r)
}

// IsReady reports whether no owner of a lock remains to be failed. Before, no operation may
// be allowed: a handle that comes late could be told that it holds its lock, and
// lose it afterwards.
func (o *Ops) IsReady() bool { return len(o.failing) == 0 }
