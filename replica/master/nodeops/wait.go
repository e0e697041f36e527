package nodeops

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/lockwait"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
)

// acquire begins an Acquire. Who holds something already is not to wait, least of
// all for itself: the rows say whether that is what it asks for. Who is about to
// release it waits like anybody else, behind those who wait.
func (d *Desk) acquire(at At, c Call, op api.Acquire) {
	h, code := d.use(at, c, op.Handle, needs(op))
	if code != api.OK {
		d.refuse(at, c, code)
		return
	}
	w := &call{Call: c, handle: h}
	_, holds := lock.HeldBy(at.Rows, ownerOf(h))
	switch {
	case holds && (!op.Wait || d.releases[h.ID] == 0):
		d.try(w)
	case op.Wait:
		d.join(at, w, op.Mode)
	default:
		d.tryOnce(at, w, op.Mode)
	}
}

// try proposes an Acquire.
func (d *Desk) try(w *call) {
	h, op := w.handle, w.Op.(api.Acquire)
	w.trial = true
	d.put(w, command.Acquire{Node: h.Node, Handle: h.ID, Mode: op.Mode, Delay: h.Delay, Wait: op.Wait, Fence: h.Fence})
}

// tryOnce is for an Acquire that does not wait, of a handle that holds nothing. It
// is told what the rows say, if they are sure to be the present ones: to find a
// lock held costs no place in the log.
func (d *Desk) tryOnce(at At, w *call, m api.Mode) {
	s := lock.Get(at.Rows, w.handle.Node)
	switch {
	case !d.alone(at, w.Call) || s.Claimable(m) || !valid(at, w.handle.Fence):
		d.try(w)
	case s.Mode != 0 && s.Mode.Conflicts(m):
		d.refuse(at, w.Call, api.LockHeld)
	default:
		d.refuse(at, w.Call, api.LockDelayed)
	}
}

// join lets an Acquire wait for its turn, which may have come.
func (d *Desk) join(at At, w *call, m api.Mode) {
	j := d.queues.Join(lockwait.Waiter{Lock: w.handle.Node, Mode: m, Session: w.Session, Handle: w.handle.ID, Seq: w.Seq})
	if j != lockwait.Joined {
		d.refuse(at, w.Call, api.Crowded)
		return
	}
	w.queued = true
	d.wait(w, parked)
	d.stir(w.handle.Node)
	d.turns(at)
	if w.state == parked {
		d.count.Parked++
		d.reply(w.Session, w.Seq, api.Result{Code: api.Parked})
	}
}

// stir notes that somebody's turn for a lock may have come.
func (d *Desk) stir(n api.Ref) { d.stirred = append(d.stirred, n) }

// turns proposes the Acquires of those whose turn has come. Whether they get the
// lock is decided where they are applied.
func (d *Desk) turns(at At) {
	for len(d.stirred) > 0 {
		n := d.stirred[0]
		d.stirred = d.stirred[1:]
		s := lock.Get(at.Rows, n)
		for _, w := range d.queues.Next(n, s.Mode, s.Delays > 0) {
			d.count.Tried++
			d.try(d.shelves[w.Session].calls[w.Seq])
		}
	}
}

// tried settles a trial that was applied: over, and its waiter leaves; or not, and
// it is to be tried again. One that has no place in the queue any more, since its
// handle was closed or poisoned, is judged anew.
func (d *Desk) tried(at At, w *call, over bool) {
	if w.queued {
		_, w.queued = d.queues.Settle(w.handle.ID, w.Seq, over)
		d.stir(w.handle.Node)
	}
	switch {
	case over:
	case w.queued, d.passed(w):
		d.reply(w.Session, w.Seq, api.Result{Code: d.back(w)})
	default:
		d.serve(at, w.Call)
	}
}

// back lets a call that was tried in vain wait again, and says so to its client; unless
// that has given it up: then it waits no more, or the lock would be for nobody.
func (d *Desk) back(w *call) api.Code {
	if d.passed(w) {
		d.unqueue(w)
		return api.Stale
	}
	d.wait(w, parked)
	return api.Parked
}

// passed says that the client has given a call up while it was in the log.
func (d *Desk) passed(w *call) bool { return w.Seq <= d.shelf(w.Session).seen }

// leave takes the waiter of a handle away, which is refused with this code, unless
// it is being tried: then its command decides.
func (d *Desk) leave(at At, h api.HandleID, code api.Code) {
	if w, _, ok := d.queues.Leave(h); ok {
		d.stir(w.Lock)
		d.left(at, w, code)
	}
}

func (d *Desk) left(at At, w lockwait.Waiter, code api.Code) {
	c := d.shelves[w.Session].calls[w.Seq]
	c.queued = false
	if c.state == parked {
		d.drop(c)
		d.refuse(at, c.Call, code)
	}
}

// unqueue takes the waiter of a call away, if it has one.
func (d *Desk) unqueue(w *call) {
	if w.queued {
		w.queued = false
		d.queues.Leave(w.handle.ID)
		d.stir(w.handle.Node)
	}
}

// kept looks after a Release that freed nothing.
func (d *Desk) kept(at At, w *call) {
	if _, holds := lock.HeldBy(at.Rows, ownerOf(w.handle)); w.frees && holds {
		d.granted(ownerOf(w.handle))
	}
}

// granted is told when a handle has got the lock, or keeps it. If it waits for it by
// another call as well, that one need not wait any longer.
func (d *Desk) granted(o lock.Owner) {
	if w, tried, ok := d.queues.Find(o.Handle); ok && !tried {
		c := d.shelves[w.Session].calls[w.Seq]
		d.unqueue(c)
		d.try(c)
	}
}

// cancel begins a CancelAcquire. It goes into the log whatever became of the
// handle: only there is decided whether the Acquire or its end came first.
func (d *Desk) cancel(at At, c Call, op api.CancelAcquire) {
	h, code := d.use(at, c, op.Handle, 0)
	if code == api.BadHandle {
		d.refuse(at, c, code)
		return
	}
	d.put(&call{Call: c}, command.CancelAcquire{Node: h.Node, Handle: h.ID, Call: op.Call})
}

// cancelled is told when a CancelAcquire was executed: the Acquire waits no more,
// and its handle may wait by another call. If it is being tried, its command finds
// the answer in the rows.
func (d *Desk) cancelled(s api.SessionID, seq api.Seq) {
	w := d.shelf(s).calls[seq]
	if w == nil {
		return
	}
	d.unqueue(w)
	if w.state != parked {
		return
	}
	d.drop(w)
	d.reply(s, seq, api.Result{Code: api.Cancelled})
}
