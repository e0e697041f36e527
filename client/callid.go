package client

import (
	"context"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// CallID is the identity of a call at the cell: the session and the call's number in it. All
// duplicates of the call, its record in the replicated log, and its stored answer carry it. It is
// for logs, support and history checkers. The Client sets it before it first sends the call; it
// stays zero if the call is never sent.
type CallID struct {
	Session api.SessionID
	Seq     api.Seq
}

type callIDKey struct{}

// WithCallID returns a context under which a call writes its CallID to id. Use the context for
// one call: the next one overwrites id. A Release or a Close of a handle whose context ends continues
// in the background, and may still write to id after it has returned. Read id then only after
// Client.Close has returned.
func WithCallID(ctx context.Context, id *CallID) context.Context {
	return context.WithValue(ctx, callIDKey{}, id)
}

func callIDOf(ctx context.Context) *CallID {
	t, _ := ctx.Value(callIDKey{}).(*CallID)
	return t
}

// recordCallIDs sets the CallIDs of calls that are sent for the first time. It is called with
// mu held, before anything is sent.
func (c *conn) recordCallIDs(launched []session.Launch) {
	for _, l := range launched {
		if w := c.calls[l.Token]; w != nil && w.id != nil {
			*w.id = CallID{Session: l.Session, Seq: l.Seq}
		}
	}
}
