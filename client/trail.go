package client

import (
	"context"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// Trail is what the cell knows a call by, for logs, support and checkers of
// histories: every copy of the call, in the replicated log and in stored
// answers, carries this session and number. It stays zero for a call that was
// never sent, and is set before the first copy leaves.
type Trail struct {
	Session api.SessionID
	Seq     api.Seq
}

type trailKey struct{}

// WithTrail returns a context under which one call writes its trail to t. A
// context serves one call: the next one overwrites t.
func WithTrail(ctx context.Context, t *Trail) context.Context {
	return context.WithValue(ctx, trailKey{}, t)
}

func trailOf(ctx context.Context) *Trail {
	t, _ := ctx.Value(trailKey{}).(*Trail)
	return t
}

// leaveTrails notes what calls are known by. It is called with mu held, before
// anything is sent.
func (c *conn) leaveTrails(launched []session.Launch) {
	for _, l := range launched {
		if w := c.calls[l.Token]; w != nil && w.trail != nil {
			*w.trail = Trail{Session: l.Session, Seq: l.Seq}
		}
	}
}
