package nodeops

import (
	"cmp"
	"maps"
	"slices"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
)

// proposing says whether a command of the Desk's own is proposed, or waits until
// the log takes more.
type proposing bool

// Present takes up the handle of a token that a client has brought to the new
// master: OK, or why not. Its principal is that of the session. What holds a lock or
// keeps a node is taken up though others have taken all the room that there is.
func (d *Desk) Present(at At, s api.SessionID, who api.Principal, token api.Token) api.Code {
	h, code := d.use(at, Call{Session: s, Principal: who}, token, 0)
	if code != api.Crowded {
		return code
	}
	if _, holds := lock.GetHold(at.Rows, h.Node, ownerOf(h)); !holds && !h.Ephemeral {
		return code
	}
	if _, v := d.table.Keep(s, token); v != handle.Good {
		return code
	}
	d.count.Recreated++
	return api.OK
}

// Flushed tells that a session has presented all that it has. What its other
// handles hold nobody knows to hold any more: it is freed as from holders that
// failed. It may be told again.
func (d *Desk) Flushed(at At, s api.SessionID) {
	if d.over {
		return
	}
	for _, h := range lock.HoldingsOf(at.Rows, s) {
		if _, known := d.failing[h.Owner]; !known && !d.table.Has(s, h.Owner.Handle) {
			d.failing[h.Owner] = false
			d.count.Failed++
		}
	}
	d.failUnpresented()
}

// failUnpresented proposes what is not proposed yet.
func (d *Desk) failUnpresented() {
	for _, o := range slices.SortedFunc(maps.Keys(d.failing), compareOwners) {
		if !d.failing[o] {
			d.failing[o] = true
			d.propose(command.FailHandle{Guard: d.epoch, Session: o.Session, Handle: o.Handle})
		}
	}
}

func (d *Desk) refusedFail(c command.FailHandle) {
	o := lock.Owner{Session: c.Session, Handle: c.Handle}
	if _, ok := d.failing[o]; ok {
		d.failing[o] = false
	}
}

func compareOwners(a, b lock.Owner) int {
	return cmp.Or(cmp.Compare(a.Session, b.Session), a.Handle.Compare(b.Handle))
}

// heldBefore answers an Acquire that was granted before the epoch, whose client may
// not know that yet. If it did not present the handle, the lock was freed: it must
// not be told that it holds it. Who is granted now what his handle holds since
// before is told so, as often as he asks: that the rows have his Close as well, which
// he sent behind it, is another answer.
func (d *Desk) heldBefore(at At, c Call, op api.Acquire, r api.Result, h api.Held, now bool) {
	x, v := d.table.Use(c.Session, op.Handle)
	hold, ok := lock.GetHold(at.Rows, x.Node, ownerOf(x))
	if !now && (codeOf(v) == api.BadHandle || !ok || hold.Acquisition != h.Acquisition) {
		r = api.Result{Code: api.NotHeld}
	}
	d.tell(c, r)
}

// Ready says that no owner of a lock remains to be failed. Before, no operation may
// be allowed: a handle that comes late could be told that it holds its lock, and
// lose it afterwards.
func (d *Desk) Ready() bool { return len(d.failing) == 0 }
