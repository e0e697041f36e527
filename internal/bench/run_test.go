package bench

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A cell that does not answer ends a run when Timeout is over: not when the caller's time is.
func TestARunWithoutACellEndsAfterItsTimeout(t *testing.T) {
	mute, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer mute.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	report, err := Run(ctx, Config{
		Target: "1=" + mute.Addr().String(), Workloads: []string{"get"}, Clients: []int{1}, For: time.Second, Timeout: 50 * time.Millisecond,
	})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.False(t, report.Interrupted)
	require.Empty(t, report.Rows)
}
