package workload

import (
	"context"
	"errors"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/sim"
)

// awaitReady waits, before the first call, until the client reports that it is ready. After healing
// it must become ready (L1).
func (c *Programs) awaitReady(rt *sim.Runtime, cl *client.Client) {
	finale := c.Finale
	ctx, cancel := rt.WithTimeout(context.Background(), c.patience())
	defer cancel()
	err := cl.Ready(ctx)
	switch st := cl.Status(); {
	case rt.Env().Dead():
	case err == nil && (st.State != session.Open || st.Lease != session.Valid && st.Lease != session.NoLease):
		c.world.Break("L1", "client %v says that it is ready, and its session is %v, and its lease %v", rt.Env().Self(), st.State, st.Lease)
	case err != nil && finale && !errors.Is(err, client.ErrSessionExpired):
		c.world.Break("L1", "client %v is not ready after healing: %v", rt.Env().Self(), err)
	}
}

// checkNeverReady checks that a closed client reports at once that it will not be ready, and takes
// no more calls.
func (c *Programs) checkNeverReady(rt *sim.Runtime, cl *client.Client) {
	ctx, cancel := rt.WithTimeout(context.Background(), c.plan.Calls.Patience)
	defer cancel()
	at := c.world.Now()
	err := cl.Ready(ctx)
	if over := c.world.Now() - at; !rt.Env().Dead() && (err == nil || over > 0) {
		c.world.Break("L1", "client %v was closed, and says %v later that it is ready, or not: %v", rt.Env().Self(), over, err)
	}
	c.checkTooLate(rt, cl)
}

// checkTooLate checks that a client that is closed, or being closed, refuses calls at once.
func (c *Programs) checkTooLate(rt *sim.Runtime, cl *client.Client) {
	ctx, cancel := rt.WithTimeout(context.Background(), c.plan.Calls.Patience)
	defer cancel()
	trail, at := &client.CallID{}, c.world.Now()
	_, err := cl.Get(client.WithCallID(ctx, trail), HotRow)
	refused := errors.Is(err, client.ErrClosed) || errors.Is(err, client.ErrSessionExpired)
	if over := c.world.Now() - at; !rt.Env().Dead() && (!refused || over > 0 || *trail != client.CallID{}) {
		c.world.Break("L1", "client %v was closed, and a call on it ended %v later: %v", rt.Env().Self(), over, err)
	}
}
