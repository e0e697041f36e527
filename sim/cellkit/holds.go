package cellkit

import (
	"fmt"
	"slices"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim/conformance/clients"
)

// Holds reports that a program has acquired a lock of this cell by a handle: call it when Acquire or
// TryAcquire has returned. From then on until the lock is lost or given back, no two programs that
// have reported may believe at one instant of true time to hold the lock in conflicting modes, each
// by Lock.Held and its own clock (S9). The cell cannot see that by itself: a belief is not on the wire.
// A second report of one lock by its Client has no effect.
//
// It panics if NewClient did not make cl, or not for this cell. It does nothing if the cell is
// Unchecked.
func (c *Cell) Holds(cl *client.Client, h *client.Handle, l *client.Lock, mode client.Mode) {
	t, ok := cl.Runtime().(*tap)
	if !ok || !t.calls(c) {
		panic(fmt.Sprintf("cellkit: Holds in cell %q of a Client that NewClient has not made for it", c.cfg.Name))
	}
	if c.checks == nil {
		return
	}
	k, _ := clients.ReadToken(api.Token(h.Token()))
	c.checks.onHold(heldLock{
		believer: believer{t, cl, t.rho}, token: k, ephemeral: h.StatAtOpen().Ephemeral,
		lock: l, remote: t.cells[""] != c.checks,
	}, mode)
}

// heldLock is a lock as its program has reported it, and its holder and its handle as the checker of
// beliefs asks them.
type heldLock struct {
	believer
	token     clients.Token
	ephemeral bool
	lock      *client.Lock
	remote    bool // of a cell of whose lease the Client tells nothing
}

// Status is that of the session with the lock's cell. If the Client does not tell it, the lock itself
// knows the lease: then Held alone counts.
func (x heldLock) Status() client.Status {
	if x.remote {
		return client.Status{Status: session.Status{Lease: session.NoLease}}
	}
	return x.believer.Status()
}

func (x heldLock) Ref() api.Ref            { return x.token.Node }
func (x heldLock) IsEphemeral() bool       { return x.ephemeral }
func (x heldLock) OpenedIn() api.SessionID { return x.token.Session }
func (x heldLock) Number() api.HandleID    { return x.token.ID }

// onHold takes in a lock that a program holds now, unless it has it already, and forgets those that are lost.
func (k *checks) onHold(x heldLock, mode client.Mode) {
	if slices.ContainsFunc(k.held, func(y heldLock) bool { return y.lock == x.lock && y.c == x.c }) {
		return
	}
	var left []heldLock
	for _, y := range k.held {
		if y.lock.Context().Err() != nil {
			k.beliefs.OnLetGo(y, y.Ref(), y.lock)
		} else if !y.Dead() {
			left = append(left, y)
		}
	}
	k.held = append(left, x)
	k.beliefs.Off = k.isLoose()
	k.beliefs.OnHold(x, x, x.lock, mode)
}
