package nodeops

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/master/lockwait"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
)

// acquire begins an Acquire. A handle that holds the lock already must not wait, since it would wait for
// itself: its Acquire is proposed at once, and the rows decide whether it already has what it asks for. A
// handle whose Release is proposed waits like any other, behind those that wait.
func (o *Ops) acquire(at At, c *calls.Call, op api.Acquire) {
	h, code := o.resolve(at, c.Session, c.Request.Principal, op.Handle, requiredRights(op))
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

// tryOnce begins an Acquire that does not wait, of a handle that holds nothing. If the rows are certain to
// be the present ones and the lock cannot be had, the Acquire is refused at once, without a command.
func (o *Ops) tryOnce(at At, w *calls.Call, m api.Mode) {
	s := lock.Get(at.Rows, w.Handle.Node)
	switch {
	case !o.canAnswerNow(at, w) || s.IsClaimable(m) || !isFenceValid(at, w.Handle.Fence):
		o.try(w)
	case s.Mode != 0 && s.Mode.HasConflict(m):
		o.tellWanted(at, w.Handle.Node, w.Handle.ID, m)
		o.refuse(at, w, api.LockHeld)
	default:
		o.refuse(at, w, api.LockDelayed)
	}
}

// join puts an Acquire into the queue of its lock, and proposes it if its turn has come.
func (o *Ops) join(at At, w *calls.Call, m api.Mode) {
	j := o.queues.Join(lockwait.Waiter{Lock: w.Handle.Node, Mode: m, Session: w.Session, Handle: w.Handle.ID, Seq: w.Seq})
	if j != lockwait.Joined {
		o.refuse(at, w, api.Crowded)
		return
	}
	w.Queued = true
	o.calls.Park(w)
	o.noteTurn(w.Handle.Node)
	o.proposeNext(at)
	if w.State == calls.Parked {
		o.count.Parked++
		o.tellWanted(at, w.Handle.Node, w.Handle.ID, m)
		o.reply(w, api.Result{Code: api.Parked})
	}
}

// noteTurn notes that a waiter's turn for a lock may have come.
func (o *Ops) noteTurn(n api.Ref) { o.turnDue = append(o.turnDue, n) }

// proposeNext proposes the Acquires of the waiters whose turn has come. Whether they get the lock is
// decided when they are applied.
func (o *Ops) proposeNext(at At) {
	for len(o.turnDue) > 0 {
		n := o.turnDue[0]
		o.turnDue = o.turnDue[1:]
		s := lock.Get(at.Rows, n)
		o.attempt(o.queues.Next(n, s.Mode, s.Delays > 0))
	}
}

// attempt proposes the Acquires of waiters.
func (o *Ops) attempt(turn []lockwait.Waiter) {
	for _, w := range turn {
		o.count.Attempted++
		o.try(o.calls.Of(w.Session, w.Seq))
	}
}

// release proposes a Release. If that will free the lock, the Acquires of the waiters whose turn it is then
// are proposed with it, so that the lock changes hands in one round of the log. If the log takes them in
// another order, or the Release frees nothing, they are refused and keep their places.
func (o *Ops) release(at At, c *calls.Call, op api.Release) {
	h, code := o.resolve(at, c.Session, c.Request.Principal, op.Handle, 0)
	if code != api.OK {
		o.refuse(at, c, code)
		return
	}
	o.put(c, calls.Attempt{Kind: calls.Releases, Handle: h}, command.Release{Node: h.Node, Handle: h.ID, Acquisition: op.Acquisition})
	s := lock.Get(at.Rows, h.Node)
	if hold, ok := lock.GetHold(at.Rows, h.Node, ownerOf(h)); ok && hold.Acquisition == op.Acquisition && s.Holders == 1 {
		o.attempt(o.queues.Next(h.Node, 0, s.Delays > 0))
	}
}

// settleAttempt takes in an applied command of a call. If the call is over, its waiter leaves the queue.
// If not, an Acquire waits again. An Acquire that has lost its place, because its handle was closed or
// poisoned, is judged anew.
func (o *Ops) settleAttempt(at At, w *calls.Call, over bool) {
	if w.Queued {
		_, w.Queued = o.queues.Settle(w.Handle.ID, w.Seq, over)
		o.noteTurn(w.Handle.Node)
	}
	switch {
	case over:
	case w.Queued, o.isGivenUp(w):
		o.reply(w, api.Result{Code: o.waitAgain(w)})
	default:
		o.serve(at, w)
	}
}

// waitAgain parks a call that was attempted in vain, and returns Parked. If its client has given the call
// up, it leaves the queue and waitAgain returns Stale: else it might get a lock that no client knows of.
func (o *Ops) waitAgain(w *calls.Call) api.Code {
	if o.isGivenUp(w) {
		o.unqueue(w)
		return api.Stale
	}
	o.calls.Park(w)
	return api.Parked
}

// isGivenUp reports whether the client has given a call up while it was in the log.
func (o *Ops) isGivenUp(w *calls.Call) bool { return w.Seq <= o.calls.Acked(w.Session) }

// leave removes the waiter of a handle from the queue, and refuses its call with this code. If the call is
// attempted, its command decides instead.
func (o *Ops) leave(at At, h api.HandleID, code api.Code) {
	if w, _, ok := o.queues.Leave(h); ok {
		o.noteTurn(w.Lock)
		o.onWaiterLeft(at, w, code)
	}
}

func (o *Ops) onWaiterLeft(at At, w lockwait.Waiter, code api.Code) {
	c := o.calls.Of(w.Session, w.Seq)
	c.Queued = false
	if c.State == calls.Parked {
		o.drop(c)
		o.refuse(at, c, code)
	}
}

// unqueue removes the waiter of a call from the queue, if the call has one.
func (o *Ops) unqueue(w *calls.Call) {
	if w.Queued {
		w.Queued = false
		o.queues.Leave(w.Handle.ID)
		o.noteTurn(w.Handle.Node)
	}
}

// onReleaseKept is called when the command of a call is over. If that was a Release and its handle still
// holds the lock, an Acquire of the handle must not wait for it any longer.
func (o *Ops) onReleaseKept(at At, w *calls.Call) {
	if _, holds := lock.HeldBy(at.Rows, ownerOf(w.Handle)); w.Kind == calls.Releases && holds {
		o.onGranted(ownerOf(w.Handle))
	}
}

// onGranted is called when a handle has got the lock, or keeps it. If the handle also waits for the lock by
// another call, that Acquire is proposed at once.
func (o *Ops) onGranted(owner lock.Owner) {
	switch w, attempted, ok := o.queues.Find(owner.Handle); {
	case ok && !attempted:
		c := o.calls.Of(w.Session, w.Seq)
		o.unqueue(c)
		o.try(c)
	case !ok:
		o.queues.Leave(owner.Handle) // a place that is kept for the handle is not needed any more
	}
}

// cancel begins a CancelAcquire. It goes into the log even if the handle is closed or poisoned: only the
// order of the log decides whether the Acquire or its cancellation comes first.
func (o *Ops) cancel(at At, c *calls.Call, op api.CancelAcquire) {
	h, code := o.resolve(at, c.Session, c.Request.Principal, op.Handle, 0)
	if code == api.BadHandle {
		o.refuse(at, c, code)
		return
	}
	o.put(c, calls.Attempt{}, command.CancelAcquire{Node: h.Node, Handle: h.ID, Call: op.Call})
}

// onCancelled is called when a CancelAcquire was executed. The Acquire no longer waits; its handle may wait
// at the same place by another call. If the Acquire is attempted, its command will find the answer Cancelled
// in the rows.
func (o *Ops) onCancelled(s api.SessionID, seq api.Seq) {
	w := o.calls.Of(s, seq)
	if w == nil {
		return
	}
	if w.Queued {
		w.Queued = false
		o.queues.StepAside(w.Handle.ID)
		o.noteTurn(w.Handle.Node)
	}
	if w.State != calls.Parked {
		return
	}
	o.drop(w)
	o.reply(w, api.Result{Code: api.Cancelled})
}
