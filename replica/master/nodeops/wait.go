package nodeops

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/master/lockwait"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
)

// acquire begins an Acquire. Who holds something already is not to wait, least of
// all for itself: the rows say whether that is what it asks for. Who is about to
// release it waits like anybody else, behind those who wait.
func (o *Ops) acquire(at At, c *calls.Call, op api.Acquire) {
	h, code := o.use(at, c.Session, c.Request.Principal, op.Handle, needs(op))
	if code != api.OK {
		o.refuse(at, c, code)
		return
	}
	c.Attempt = calls.Attempt{Handle: h}
	_, holds := lock.HeldBy(at.Rows, ownerOf(h))
	switch {
	case holds && (!op.Wait || o.calls.Releases(h.ID) == 0):
		o.try(c)
	case op.Wait:
		o.join(at, c, op.Mode)
	default:
		o.tryOnce(at, c, op.Mode)
	}
}

// try proposes an Acquire.
func (o *Ops) try(w *calls.Call) {
	h, op := w.Handle, w.Request.Op.(api.Acquire)
	o.put(w, calls.Attempt{Kind: calls.Acquires, Handle: h}, command.Acquire{Node: h.Node, Handle: h.ID, Mode: op.Mode, Delay: h.Delay, Wait: op.Wait, Fence: h.Fence})
}

// tryOnce is for an Acquire that does not wait, of a handle that holds nothing. It
// is told what the rows say, if they are sure to be the present ones: to find a
// lock held costs no place in the log.
func (o *Ops) tryOnce(at At, w *calls.Call, m api.Mode) {
	s := lock.Get(at.Rows, w.Handle.Node)
	switch {
	case !o.alone(at, w) || s.Claimable(m) || !valid(at, w.Handle.Fence):
		o.try(w)
	case s.Mode != 0 && s.Mode.Conflicts(m):
		o.refuse(at, w, api.LockHeld)
	default:
		o.refuse(at, w, api.LockDelayed)
	}
}

// join lets an Acquire wait for its turn, which may have come.
func (o *Ops) join(at At, w *calls.Call, m api.Mode) {
	j := o.queues.Join(lockwait.Waiter{Lock: w.Handle.Node, Mode: m, Session: w.Session, Handle: w.Handle.ID, Seq: w.Seq})
	if j != lockwait.Joined {
		o.refuse(at, w, api.Crowded)
		return
	}
	w.Queued = true
	o.calls.Park(w)
	o.stir(w.Handle.Node)
	o.turns(at)
	if w.State == calls.Parked {
		o.count.Parked++
		o.reply(w, api.Result{Code: api.Parked})
	}
}

// stir notes that somebody's turn for a lock may have come.
func (o *Ops) stir(n api.Ref) { o.stirred = append(o.stirred, n) }

// turns proposes the Acquires of those whose turn has come. Whether they get the
// lock is decided where they are applied.
func (o *Ops) turns(at At) {
	for len(o.stirred) > 0 {
		n := o.stirred[0]
		o.stirred = o.stirred[1:]
		s := lock.Get(at.Rows, n)
		for _, w := range o.queues.Next(n, s.Mode, s.Delays > 0) {
			o.count.Tried++
			o.try(o.calls.Of(w.Session, w.Seq))
		}
	}
}

// tried settles a trial that was applied: over, and its waiter leaves; or not, and
// it is to be tried again. One that has no place in the queue any more, since its
// handle was closed or poisoned, is judged anew.
func (o *Ops) tried(at At, w *calls.Call, over bool) {
	if w.Queued {
		_, w.Queued = o.queues.Settle(w.Handle.ID, w.Seq, over)
		o.stir(w.Handle.Node)
	}
	switch {
	case over:
	case w.Queued, o.passed(w):
		o.reply(w, api.Result{Code: o.back(w)})
	default:
		o.serve(at, w)
	}
}

// back lets a call that was tried in vain wait again, and says so to its client; unless
// that has given it up: then it waits no more, or the lock would be for nobody.
func (o *Ops) back(w *calls.Call) api.Code {
	if o.passed(w) {
		o.unqueue(w)
		return api.Stale
	}
	o.calls.Park(w)
	return api.Parked
}

// passed says that the client has given a call up while it was in the log.
func (o *Ops) passed(w *calls.Call) bool { return w.Seq <= o.calls.Acked(w.Session) }

// leave takes the waiter of a handle away, which is refused with this code, unless
// it is being tried: then its command decides.
func (o *Ops) leave(at At, h api.HandleID, code api.Code) {
	if w, _, ok := o.queues.Leave(h); ok {
		o.stir(w.Lock)
		o.left(at, w, code)
	}
}

func (o *Ops) left(at At, w lockwait.Waiter, code api.Code) {
	c := o.calls.Of(w.Session, w.Seq)
	c.Queued = false
	if c.State == calls.Parked {
		o.drop(c)
		o.refuse(at, c, code)
	}
}

// unqueue takes the waiter of a call away, if it has one.
func (o *Ops) unqueue(w *calls.Call) {
	if w.Queued {
		w.Queued = false
		o.queues.Leave(w.Handle.ID)
		o.stir(w.Handle.Node)
	}
}

// kept looks after a Release that freed nothing.
func (o *Ops) kept(at At, w *calls.Call) {
	if _, holds := lock.HeldBy(at.Rows, ownerOf(w.Handle)); w.Kind == calls.Releases && holds {
		o.granted(ownerOf(w.Handle))
	}
}

// granted is told when a handle has got the lock, or keeps it. If it waits for it by
// another call as well, that one need not wait any longer.
func (o *Ops) granted(owner lock.Owner) {
	if w, tried, ok := o.queues.Find(owner.Handle); ok && !tried {
		c := o.calls.Of(w.Session, w.Seq)
		o.unqueue(c)
		o.try(c)
	}
}

// cancel begins a CancelAcquire. It goes into the log whatever became of the
// handle: only there is decided whether the Acquire or its end came first.
func (o *Ops) cancel(at At, c *calls.Call, op api.CancelAcquire) {
	h, code := o.use(at, c.Session, c.Request.Principal, op.Handle, 0)
	if code == api.BadHandle {
		o.refuse(at, c, code)
		return
	}
	o.put(c, calls.Attempt{}, command.CancelAcquire{Node: h.Node, Handle: h.ID, Call: op.Call})
}

// cancelled is told when a CancelAcquire was executed: the Acquire waits no more,
// and its handle may wait by another call. If it is being tried, its command finds
// the answer in the rows.
func (o *Ops) cancelled(s api.SessionID, seq api.Seq) {
	w := o.calls.Of(s, seq)
	if w == nil {
		return
	}
	o.unqueue(w)
	if w.State != calls.Parked {
		return
	}
	o.drop(w)
	o.reply(w, api.Result{Code: api.Cancelled})
}
