package cell

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/plan"
)

// What clients tell their programs of a session is published: jeopardy, the end of it, and the end of the session. A
// session is safe again only out of jeopardy, and nothing is told of one that is over.
func TestStatesOfSessionsArePublished(t *testing.T) {
	last, count := map[api.SessionID]client.EventKind{}, map[client.EventKind]int{}
	o := plan.Options{Seed: 7}
	o.Listen = func(_ time.Duration, e event.Event) {
		s, ok := e.(event.SessionTold)
		if !ok {
			return
		}
		require.True(t, s.Client.IsClient())
		require.NotZero(t, s.Session)
		was := last[s.Session]
		require.NotEqual(t, client.EventExpired, was, "session %d is over", s.Session)
		require.Equal(t, s.Kind == client.EventSafe, was == client.EventJeopardy && s.Kind != client.EventExpired, "session %d: %v after %v", s.Session, s.Kind, was)
		last[s.Session] = s.Kind
		count[s.Kind]++
	}
	require.Nil(t, Run(o).Breach)
	require.Positive(t, count[client.EventJeopardy])
	require.Positive(t, count[client.EventSafe])
	require.Positive(t, count[client.EventExpired])
	require.Len(t, count, 3, "a fail-over is no state of a session")
}
