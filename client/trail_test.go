package client_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
)

func TestATrailIsZeroForACallThatWasNeverSent(t *testing.T) {
	rt := client.NewRuntime(func(uint32, []byte) {})
	cl := client.New(rt, client.Config{Replicas: []uint32{1}, Draw: client.Entropy})
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	var trail client.Trail
	err := cl.Put(client.WithTrail(ctx, &trail), "a", "b")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NotErrorIs(t, err, client.ErrOutcomeUnknown, "the session was never open")
	require.Zero(t, trail)
}
