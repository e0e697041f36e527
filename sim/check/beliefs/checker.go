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

// Checker is what client programs take for true at an instant of true time,
// each by its own clock: whose session is alive (S11). Programs are asked when it
// matters; a machine that is down believes nothing.
type Checker struct {
	world *sim.World
	Off   bool // clocks of clients err by more than they may: nothing is promised
	all   []model.Believer
	Ended int // sessions that masters ended
	Swept int // ephemeral nodes that masters deleted
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

// New is a checker that knows no client.
func New(w *sim.World) *Checker { return &Checker{world: w, gone: map[api.Ref]bool{}} }

// OnClient is told that a client begins.
func (b *Checker) OnClient(x model.Believer) { b.all = append(b.all, x) }

// OnCommand is told of each command as it is first applied anywhere.
func (b *Checker) OnCommand(a *command.Applied) {
	if a.Verdict != command.Executed || a.Result.Code != api.OK {
		return
	}
	switch c := a.Command.(type) {
	case command.Expire:
		b.expires(c.Session)
		b.exclusive()
	case command.Sweep:
		b.sweeps(c.Node)
	case command.NodeCommand:
		if d, deletes := c.Op.(command.DeleteNode); deletes {
			b.deletes(d.Node)
		}
	}
}

// deletes: no node goes on whose lock a client counts. What is made at its path next has a lock of its own,
// which another may hold at once (S9). A client without a lease has no means to hear of it in time.
func (b *Checker) deletes(n api.Ref) {
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

// expires: no session is ended of which its client is certain that it is alive.
func (b *Checker) expires(id api.SessionID) {
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

// sweeps: no ephemeral node goes that a live session has open.
func (b *Checker) sweeps(n api.Ref) {
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

// OnOpen is told that a program has opened a node.
func (b *Checker) OnOpen(who model.Believer, o model.OpenHandle) {
	if o.IsEphemeral() {
		b.open = append(b.open, believed{who: who, node: o.Ref(), o: o})
	}
}

// OnClose is told that a program will use a handle no more.
func (b *Checker) OnClose(o model.OpenHandle) {
	b.open = slices.DeleteFunc(b.open, func(x believed) bool { return x.o == o })
}

// OnHold is told that a program has got a lock. At that instant no other may
// believe to hold it in a mode that conflicts (S9): beliefs begin here, and when a
// session is out of jeopardy, and end by themselves.
func (b *Checker) OnHold(who model.Believer, o model.OpenHandle, l model.HeldLock, mode client.Mode) {
	b.held = append(b.held, believed{who: who, node: o.Ref(), o: o, lock: l, mode: mode})
	b.exclusive()
	if b.gone[o.Ref()] && !b.Off && certain(who) > 0 && l.Held() {
		b.world.Break("S9", "%v was deleted, and the client on %v is told since that it holds its lock", o.Ref(), who.Self())
	}
}

// OnSend is told of a request as it leaves a client. A client that gives a lock back, or
// what it hangs on, believes in it no more: the cell may free it before an answer comes (S9).
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
			b.world.Break("S9", "the client on %v sends %T, and its lock of %v says that it is held: Held is %t, Err is %v", x.who.Self(), q.Op, x.node, x.lock.Held(), x.lock.Err())
		}
	}
}

// OnLoss is told that a program was told, by an answer to a call on a handle, that this
// is of no more use: the lock that it held is lost (S9).
func (b *Checker) OnLoss(who model.Believer, n api.Ref, l model.HeldLock, why error) {
	if !clients.IsLost(l) {
		b.world.Break("S9", "the client on %v was told of the handle of %v: %v; and its lock says that it is held: Held is %t, Err is %v", who.Self(), n, why, l.Held(), l.Err())
	}
	b.sound(who, n, l)
}

// exclusive asks all who may hold locks now. A client that does not count on its
// session any more believes in nothing, whether another client does or not.
func (b *Checker) exclusive() {
	if b.Off {
		return
	}
	b.held = slices.DeleteFunc(b.held, func(x believed) bool { return x.who.Dead() })
	for i, x := range b.held {
		b.sound(x.who, x.node, x.lock)
		sure := certain(x.who) > 0 || x.who.Status().Lease == session.NoLease // time goes on while it is asked
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

// sound demands of a lock that what it says at one instant agrees (S9): its context is
// over when the lock is lost for good, not before and for that reason; jeopardy may
// pass.
func (b *Checker) sound(who model.Believer, n api.Ref, l model.HeldLock) {
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

// OnLetGo is told that a program has given a lock back, or closed its handle or session:
// by no fault of the cell's is it held any more.
func (b *Checker) OnLetGo(who model.Believer, n api.Ref, l model.HeldLock) {
	b.held = slices.DeleteFunc(b.held, func(x believed) bool { return x.lock == l })
	if !clients.IsLost(l) {
		b.world.Break("S9", "the lock of %v on %v was given back, and says that it is held: Held is %t, Err is %v", n, who.Self(), l.Held(), l.Err())
	}
	b.sound(who, n, l)
}

// certain says for how long a client is certain that its session is alive, by its
// own clock.
func certain(x model.Believer) time.Duration {
	s := x.Status()
	if s.State != session.Open || s.Lease != session.Valid {
		return 0
	}
	return max(s.Bound.Sub(x.Now()), 0)
}
