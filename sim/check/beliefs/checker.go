package beliefs

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/conformance/clients"
	"github.com/chubbycell/chubby/sim/model"
)

// Checker compares what client programs believe, each by its own clock, with the log at an
// instant of true time: which sessions are alive (S11), which locks are held (S9), which
// ephemeral nodes exist (S15). It asks programs only when that matters. A client whose
// machine is down believes nothing.
type Checker struct {
	world *sim.World
	Off   bool // clients' clocks err beyond their bound, so nothing is promised
	all   []model.Believer
	Ended int // counts sessions that masters ended
	Swept int // counts ephemeral nodes that masters deleted
	held  []believed
	open  []believed       // handles on ephemeral nodes
	gone  map[api.Ref]bool // nodes that were deleted
}

// believed is a node that a program has open, or whose lock it holds.
type believed struct {
	who  model.Believer
	node api.Ref
	o    model.OpenHandle
	lock model.HeldLock
	mode client.Mode
}

// New returns a Checker that knows no client.
func New(w *sim.World) *Checker { return &Checker{world: w, gone: map[api.Ref]bool{}} }

// OnClient reports that a client begins.
func (b *Checker) OnClient(x model.Believer) { b.all = append(b.all, x) }

// OnCommand reports a command when it is first applied anywhere.
func (b *Checker) OnCommand(a *command.Applied) {
	if a.Verdict != command.Executed || a.Result.Code != api.OK {
		return
	}
	switch c := a.Command.(type) {
	case command.Expire:
		b.checkExpire(c.Session)
		b.checkExclusion()
	case command.Sweep:
		b.checkSweep(c.Node)
	case command.NodeCommand:
		if d, deletes := c.Op.(command.DeleteNode); deletes {
			b.checkDelete(d.Node)
		}
	}
}

// checkDelete: no node is deleted while a client counts on its lock. A node created at the
// same path later has a lock of its own, which another client may hold at once (S9). A client
// without a valid lease cannot learn of the deletion in time, so it does not count.
func (b *Checker) checkDelete(n api.Ref) {
	if b.gone[n] = true; b.Off {
		return
	}
	b.held = slices.DeleteFunc(b.held, func(x believed) bool { return x.who.Dead() })
	for _, x := range b.held {
		if x.node == n && certain(x.who) > 0 && x.lock.Held() {
			b.world.Break("S9", "%v is deleted, and the client on %v believes to hold its lock", n, x.who.Self())
		}
	}
}

// checkExpire: no session is ended while its client is certain that it is alive.
func (b *Checker) checkExpire(id api.SessionID) {
	b.Ended++
	if b.Off {
		return
	}
	b.all = slices.DeleteFunc(b.all, model.Believer.Dead)
	for _, x := range b.all {
		if left := certain(x); left > 0 && x.Status().Session == id {
			b.world.Break("S11", "session %d is ended, and its client on %v counts on it for %v more", id, x.Self(), left)
		}
	}
}

// checkSweep: no ephemeral node is swept while a live session has it open.
func (b *Checker) checkSweep(n api.Ref) {
	b.Swept++
	if b.Off {
		return
	}
	b.open = slices.DeleteFunc(b.open, func(x believed) bool { return x.who.Dead() })
	for _, x := range b.open {
		if left := certain(x.who); x.node == n && left > 0 {
			b.world.Break("S15", "ephemeral %v is swept; the client on %v has it open, and counts on its session for %v more", n, x.who.Self(), left)
		}
	}
}

// OnOpen reports that a program has opened a node.
func (b *Checker) OnOpen(who model.Believer, o model.OpenHandle) {
	if o.IsEphemeral() {
		b.open = append(b.open, believed{who: who, node: o.Ref(), o: o})
	}
}

// OnClose reports that a program will not use a handle again.
func (b *Checker) OnClose(o model.OpenHandle) {
	b.open = slices.DeleteFunc(b.open, func(x believed) bool { return x.o == o })
}

// OnHold reports that a program has acquired a lock. At that instant no other program may
// believe that it holds the lock in a conflicting mode (S9). A belief can begin only here, or
// when a session leaves jeopardy; beliefs end without notice.
func (b *Checker) OnHold(who model.Believer, o model.OpenHandle, l model.HeldLock, mode client.Mode) {
	b.held = append(b.held, believed{who: who, node: o.Ref(), o: o, lock: l, mode: mode})
	b.checkExclusion()
	if b.gone[o.Ref()] && !b.Off && certain(who) > 0 && l.Held() {
		b.world.Break("S9", "%v was deleted, and the client on %v is told since that it holds its lock", o.Ref(), who.Self())
	}
}

// OnSend reports a request as it leaves a client. A client that releases a lock, or ends the
// handle or session that the lock depends on, must not believe in the lock any more: the cell
// may free it before the answer arrives (S9).
func (b *Checker) OnSend(q api.Request) {
	var of func(x believed) bool
	switch op := q.Op.(type) {
	case api.Release, api.CloseHandle, api.Poison:
		k, ok := clients.ReadToken(api.HandleOf(op))
		of = func(x believed) bool { return ok && x.o.Number() == k.ID }
	case api.EndSession:
		of = func(believed) bool { return true }
	default:
		return
	}
	for _, x := range b.held {
		if x.o.OpenedIn() == q.Session && of(x) && !x.who.Dead() && !clients.IsLost(x.lock) {
			b.world.Break("S9", "the client on %v sends call %d of session %d, %T, and its lock of %v says that it is held: Held is %t, Err is %v", x.who.Self(), q.Seq, q.Session, q.Op, x.node, x.lock.Held(), x.lock.Err())
		}
	}
}

// OnLoss reports that a program has learned, from the answer to a call on a handle, that the
// handle is useless: the lock that it held is lost (S9).
func (b *Checker) OnLoss(who model.Believer, n api.Ref, l model.HeldLock, why error) {
	if !clients.IsLost(l) {
		b.world.Break("S9", "the client on %v was told of the handle of %v: %v; and its lock says that it is held: Held is %t, Err is %v", who.Self(), n, why, l.Held(), l.Err())
	}
	b.checkConsistent(who, n, l)
}

// checkExclusion asks every client that may hold a lock now. A client that no longer counts
// on its session must not believe in its lock, even if no other client does.
func (b *Checker) checkExclusion() {
	if b.Off {
		return
	}
	b.held = slices.DeleteFunc(b.held, func(x believed) bool { return x.who.Dead() })
	for i, x := range b.held {
		b.checkConsistent(x.who, x.node, x.lock)
		sure := certain(x.who) > 0 || x.who.Status().Lease == session.NoLease // read it before the switch: time passes while clients are asked
		switch {
		case !x.lock.Held():
			continue
		case !sure:
			b.world.Break("S9", "the client on %v believes to hold the lock of %v, and does not count on its session any more", x.who.Self(), x.node)
		}
		for _, y := range b.held[:i] {
			if x.node == y.node && x.mode.HasConflict(y.mode) && y.lock.Held() {
				b.world.Break("S9", "the clients on %v and %v both believe to hold the lock of %v, %v and %v", y.who.Self(), x.who.Self(), x.node, y.mode, x.mode)
			}
		}
	}
}

// checkConsistent requires that all a lock says at one instant agrees (S9). Its context ends
// when the lock is lost for good, not earlier, and for that reason. Jeopardy is no loss,
// since it may pass.
func (b *Checker) checkConsistent(who model.Believer, n api.Ref, l model.HeldLock) {
	err, ctx := l.Err(), l.Context()
	lost := err != nil && !errors.Is(err, client.ErrJeopardy)
	switch cause := context.Cause(ctx); {
	case l.Held() != (err == nil):
		b.world.Break("S9", "the lock of %v on %v says that it is held and why it is not: Held is %t, Err is %v", n, who.Self(), l.Held(), err)
	case !lost && who.Status().State == session.Over:
		b.world.Break("S9", "the lock of %v on %v says %v, and its session is over", n, who.Self(), err)
	case lost != (cause != nil):
		b.world.Break("S9", "the lock of %v on %v says %v, and its context %v", n, who.Self(), err, cause)
	case lost && cause.Error() != err.Error():
		b.world.Break("S9", "the lock of %v on %v was lost because %v, and its context ended because %v", n, who.Self(), err, cause)
	}
}

// OnLetGo reports that a program has released a lock, or closed its handle or session. The
// cell is not at fault if the lock is not held any more.
func (b *Checker) OnLetGo(who model.Believer, n api.Ref, l model.HeldLock) {
	b.held = slices.DeleteFunc(b.held, func(x believed) bool { return x.lock == l })
	if !clients.IsLost(l) {
		b.world.Break("S9", "the lock of %v on %v was given back, and says that it is held: Held is %t, Err is %v", n, who.Self(), l.Held(), l.Err())
	}
	b.checkConsistent(who, n, l)
}

// certain returns for how long, by its own clock, a client is certain that its session is
// alive.
func certain(x model.Believer) time.Duration {
	s := x.Status()
	if s.State != session.Open || s.Lease != session.Valid {
		return 0
	}
	return max(s.Bound.Sub(x.Now()), 0)
}
