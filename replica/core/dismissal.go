package core

import (
	"errors"
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// Errors of Dismiss, beside ErrNotServing. It has done nothing then.
var (
	// ErrNoSession: no session with this id is alive.
	ErrNoSession = errors.New("no such session is alive")
	// ErrNoLeases: sessions of this cell have no leases. Such a session may not be ended against the will of its
	// client, since no instant is known at which the client has ceased to believe in it.
	ErrNoLeases = errors.New("sessions of this cell have no leases")
)

// Dismissal is what Dismiss has done. With ErrNoSession it has the Epoch alone.
type Dismissal struct {
	Principal api.Principal // of the session
	Epoch     api.Epoch     // of this master; the next one knows nothing of the order
	Left      time.Duration // until the end of the session is proposed
	IsNew     bool          // the session was not dismissed before in this epoch
}

// Dismiss is an operator's order to end a session. The session ends when its present lease is over, by the same
// command as any session whose lease is over, and its lease is not extended any more. The order is in the memory of
// this master alone: if the next master finds the session alive, it is to be dismissed again. To repeat an order does
// no harm.
func (r *Replica) Dismiss(now time.Time, id api.SessionID) (Dismissal, error) {
	r.now = now
	if r.serving == nil {
		return Dismissal{}, ErrNotServing
	}
	d, ok := r.master.Dismiss(id)
	_, alive := r.master.Session(id)
	switch {
	case ok:
		return Dismissal{Principal: d.Principal, Epoch: r.serving.Epoch, Left: max(0, d.Ends.Sub(now)), IsNew: d.IsNew}, nil
	case alive:
		return Dismissal{}, ErrNoLeases
	}
	return Dismissal{Epoch: r.serving.Epoch}, ErrNoSession
}
