package client_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
)

func TestACallIDIsTheOneTheCellRecords(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Minute)
		for seq := range api.Seq(3) {
			var id client.CallID
			require.NoError(t, w.c.Put(client.WithCallID(ctx, &id), "k", "v"))
			require.Equal(t, client.CallID{Session: 1, Seq: seq + 1}, id)
		}
		w.fault(everything)
		var lost client.CallID
		require.ErrorIs(t, w.c.Put(client.WithCallID(w.within(time.Second), &lost), "k", "w"), client.ErrOutcomeUnknown)
		require.Equal(t, client.CallID{Session: 1, Seq: 4}, lost, "a call without an answer has one too")
	})
}

func TestACallIDIsZeroForACallThatWasNeverSent(t *testing.T) {
	bubble(t, nil, func(w *world) {
		w.fault(everything)
		var id client.CallID
		err := w.c.Put(client.WithCallID(w.within(time.Second), &id), "a", "b")
		require.NotErrorIs(t, err, client.ErrOutcomeUnknown, "the session was never open")
		require.Zero(t, id)
	})
}
