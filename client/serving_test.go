package client_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
)

// Whether a replica serves, or why it is not known: errors.Is tells a wrong id from a closed Client and from the end of
// the context.
func TestWhatServingSays(t *testing.T) {
	target, stop := startReplica()
	defer stop()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c, err := client.Dial(ctx, target)
	require.NoError(t, err)
	other, err := client.Dial(ctx, target) // keeps the connections open
	require.NoError(t, err)
	defer other.Close(ctx)
	one := client.Replica{ID: 1}
	for serves := false; !serves; { // it says so soon after it has become the master
		serves, err = c.Serving(ctx, one)
		require.NoError(t, err)
	}

	_, err = c.Serving(ctx, client.Replica{ID: 7})
	require.ErrorIs(t, err, client.ErrInvalid)
	require.ErrorContains(t, err, "replica 7 is not in the target")
	_, err = c.Serving(ctx, client.Replica{Cell: "far", ID: 1})
	require.ErrorIs(t, err, client.ErrInvalid)
	require.ErrorContains(t, err, "replica 1 of cell far: Dial was given no WithCell of this name")

	late, end := context.WithDeadline(ctx, time.Now())
	defer end()
	_, err = c.Serving(late, one)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	given, give := context.WithCancelCause(ctx)
	give(client.ErrGone)
	_, err = c.Serving(given, one)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, err, client.ErrGone)

	require.NoError(t, c.Close(ctx))
	_, err = c.Serving(ctx, one)
	require.ErrorIs(t, err, client.ErrClosed)
	_, err = other.Serving(ctx, one)
	require.NoError(t, err)
}
