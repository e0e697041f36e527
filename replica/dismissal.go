package replica

import (
	"context"
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/driver"
)

// Errors of Dismiss, beside ErrNotMaster, ErrStopped and those of the context. Nothing was done.
var (
	ErrNoSession = core.ErrNoSession
	ErrNoLeases  = core.ErrNoLeases
)

// Dismissal is what Dismiss has done. With ErrNoSession it has the Epoch alone.
type Dismissal = core.Dismissal

// Dismiss is an operator's order to end a session. Call it at the master. The session does not end within its
// lease: the master extends the lease no more, and proposes the end of the session when the lease is over. The
// locks of the session are then freed with their lock-delays. Dismiss does not wait for that. The order is lost
// when another replica becomes master, so call Dismiss again, at the master of that time, until it returns
// ErrNoSession. It returns ErrStopped if the replica has ended, or the cause of ctx if ctx ends before the loop
// takes the order.
func (r *Replica) Dismiss(ctx context.Context, id api.SessionID) (d Dismissal, err error) {
	if stopped := r.ask(ctx, func(h *driver.Driver, now time.Time) { d, err = h.Dismiss(now, id) }); stopped != nil {
		return Dismissal{}, stopped
	}
	return d, err
}
