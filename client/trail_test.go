package client_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
)

func TestATrailNamesTheCallAsTheCellDoes(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Minute)
		for seq := range api.Seq(3) {
			var trail client.Trail
			require.NoError(t, w.c.Put(client.WithTrail(ctx, &trail), "k", "v"))
			require.Equal(t, client.Trail{Session: 1, Seq: seq + 1}, trail)
		}
		w.fault(everything)
		var lost client.Trail
		require.ErrorIs(t, w.c.Put(client.WithTrail(w.within(time.Second), &lost), "k", "w"), client.ErrOutcomeUnknown)
		require.Equal(t, client.Trail{Session: 1, Seq: 4}, lost, "a call without an answer has one too")
	})
}

func TestATrailIsZeroForACallThatWasNeverSent(t *testing.T) {
	bubble(t, nil, func(w *world) {
		w.fault(everything)
		var trail client.Trail
		err := w.c.Put(client.WithTrail(w.within(time.Second), &trail), "a", "b")
		require.NotErrorIs(t, err, client.ErrOutcomeUnknown, "the session was never open")
		require.Zero(t, trail)
	})
}
