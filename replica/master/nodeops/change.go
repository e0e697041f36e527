package nodeops

import (
	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/cache"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// putChange proposes the command for a call, once no other client has in its cache a path that it
// touches (CHU §2.7), and no client counts on a lock that it takes away. Until then the call is Barred. A
// deletion that the rows do not permit is refused here if the lock has holders: in the log, behind other
// commands, it might be executed, and the holders were told nothing.
func (o *Ops) putChange(at At, c *calls.Call, a calls.Attempt, deed command.NodeOp) {
	holders, code := command.LocksTaken(at.Rows, deed)
	if code != api.OK {
		o.refuse(at, c, code)
		return
	}
	paths := command.Touches(o.act(c, deed))
	if len(paths) > 0 && o.mustWait(at, keyOf(c), paths, holders) {
		o.count.Barred++
		o.calls.Bar(c, a)
		return
	}
	o.put(c, a, deed)
}

func keyOf(c *calls.Call) changeKey {
	return changeKey{Change: cache.Change{Session: c.Session, Seq: c.Seq}}
}

// mustWait takes a change to the barrier, and reports whether it must wait there. If so, the sessions for
// which it waits are told what to drop. If not, it goes on and holds its paths. holders are those of a lock
// that the change takes away. They must be told: else their clients would count on the lock until their
// next call, while another client may hold the lock of the next node at the path. They are told last, when
// no cache is waited for any more: a client that has been told has lost the lock for good, even if the
// change is given up or refused after that.
func (o *Ops) mustWait(at At, k changeKey, paths []api.Path, holders []lock.Holding) bool {
	x := o.barrier.enter(k, paths)
	if o.barrier.isUncached(x) {
		o.dropLocks(at, x, holders)
	}
	if o.barrier.isClear(x) {
		o.barrier.pass(at.Now, x)
		return false
	}
	for _, d := range o.barrier.wait(at.Now, x) {
		o.tellSession(d.Session, api.Event{Kind: api.EventDrop, Node: api.Ref{Path: d.Path}, Drop: d.Number})
	}
	return true
}

// dropLocks tells each holder of a lock that a deletion takes it away, once, even a holder of the session
// that asks for the deletion. In a cell without leases clients get no events.
func (o *Ops) dropLocks(at At, x *change, holders []lock.Holding) {
	for _, h := range holders {
		if s := h.Owner.Session; !o.cfg.Silent && !x.takes(h.Acquisition) {
			n := o.barrier.caches.DropLocks(at.Now, s, h.Lock.Path)
			x.take(h.Acquisition, lost{s, n})
			o.tellSession(s, api.Event{Kind: api.EventDropLocks, Node: h.Lock, Drop: n})
		}
	}
}

// isGrantOfGoneNode reports whether r grants the lock of a node whose deletion passed the barrier before the
// grant. Its client must not be told of the grant: it was not told to drop the lock, and would count on it while
// another client may hold the lock of the next node at the path. While the deletion is under way, the Acquire is
// proposed once more, behind it; once the node is gone, the answer is NotHeld. Nothing is proposed for a handle
// that was poisoned or closed meanwhile: its call may come again.
func (o *Ops) isGrantOfGoneNode(at At, c *calls.Call, r api.Result) bool {
	if h, ok := r.Detail.(api.Held); !ok || api.Number(h.Acquisition) <= o.began {
		return false
	}
	if o.isBeingDeleted(c.Handle.Node) {
		c.Queued = false // it has left the queue
		if _, v := o.handles.Use(c.Session, c.Request.Op.(api.Acquire).Handle); v == handle.Good {
			o.try(c)
		} else {
			o.reply(c, api.Result{Code: api.Busy})
		}
		return true
	}
	if _, code := tree.Stat(at.Rows, c.Handle.Node); code == api.OK {
		return false
	}
	o.tell(c, api.Result{Code: api.NotHeld})
	return true
}

// isBeingDeleted reports whether a deletion of a node has passed the barrier and is not applied yet.
func (o *Ops) isBeingDeleted(n api.Ref) bool {
	if o.barrier.caches.Holds(n.Path) == 0 {
		return false
	}
	for k, x := range o.barrier.changes { // order-free: any one will do
		if c := o.calls.Of(k.Session, k.Seq); !x.waits && c != nil && c.Handle.Node == n {
			if _, deletes := c.Request.Op.(api.DeleteNode); deletes {
				return true
			}
		}
	}
	return false
}

// lift judges the changes anew that need not wait any longer.
func (o *Ops) lift(at At) {
	for x := o.barrier.next(); x != nil; x = o.barrier.next() {
		o.rejudge(at, x)
	}
}

// rejudge ends the waiting of a change and judges its call anew, because a handle may have been closed,
// rights taken away, or a node made or deleted meanwhile. The change holds its paths until then. If the
// call is refused now, the command that goes into the log may be the refusal; it touches no path, so the
// change leaves the barrier.
func (o *Ops) rejudge(at At, x *change) {
	o.barrier.resume(x)
	c := o.calls.Of(x.key.Session, x.key.Seq)
	if c == nil {
		o.doubted.add(x.key.swept)
		return
	}
	o.calls.Decide(c)
	x.again = false
	o.serve(at, c)
	if !x.again || c.State != calls.Proposed && c.State != calls.Barred {
		o.barrier.leave(x.key)
	}
}

// rejudgeOf calls rejudge for the waiting changes of a session that use this handle.
func (o *Ops) rejudgeOf(at At, s api.SessionID, h api.HandleID) {
	for _, c := range o.calls.OnNodes(s) {
		if c.State == calls.Barred && c.Handle.ID == h {
			o.rejudge(at, o.barrier.changes[keyOf(c)])
		}
	}
}

// withdrawSweep ends a sweep that waits at the barrier, because its path is about to be opened. The path
// is doubted, so the sweep begins anew if the Open comes to nothing.
func (o *Ops) withdrawSweep(p api.Path) {
	if _, waits := o.barrier.changes[sweepKey(p)]; waits && o.sweeps[p] == nil {
		o.barrier.leave(sweepKey(p))
		o.doubted.add(p)
	}
}

// verifyHeld panics unless a command that touches paths has passed the barrier.
func (o *Ops) verifyHeld(c command.Command) {
	paths := command.Touches(c)
	if len(paths) == 0 {
		return
	}
	k := sweepKey(paths[0])
	if act, ok := c.(command.NodeCommand); ok {
		k = changeKey{Change: cache.Change{Session: act.Session, Seq: act.Seq}}
	}
	if x := o.barrier.changes[k]; x == nil || x.waits || !o.barrier.isClear(x) {
		invariant.Failf("I-B7", "%+v is proposed, and has not passed the barrier: %+v", c, x)
	}
}
