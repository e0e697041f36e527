package workload

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client/session"
)

// If the session has ended at that very instant, Close returns no error although the handle still
// holds its lock: the cell frees the lock only when it ends the session.
func TestAClosedHandleOfASessionThatIsOverMayHoldItsLock(t *testing.T) {
	require.False(t, isOver(session.Status{State: session.Open, Session: 7}, 7))
	require.False(t, isOver(session.Status{State: session.Open, Session: 7, Lease: session.Jeopardy}, 7))
	require.True(t, isOver(session.Status{State: session.Over, Session: 7}, 7))
	require.True(t, isOver(session.Status{State: session.Open, Session: 8}, 7), "the client has begun another one")
}
