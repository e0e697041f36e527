package client_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
)

// A Dial that fails does not go on looking for a master.
func TestADialThatFailsLeavesNothingBehind(t *testing.T) {
	var draws atomic.Int64 // one for each pause between two attempts
	cfg := client.Config{AnswerWait: time.Millisecond, RetryMin: time.Millisecond, RetryMax: time.Millisecond, Draw: func() uint64 {
		draws.Add(1)
		return client.Entropy()
	}}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := client.Dial(ctx, "1=127.0.0.1:1", client.WithConfig(cfg), client.WithOwnConnections())
	require.ErrorIs(t, err, context.DeadlineExceeded)
	was := draws.Load()
	require.NotZero(t, was)
	require.Never(t, func() bool { return draws.Load() > was }, 200*time.Millisecond, 10*time.Millisecond)
}
