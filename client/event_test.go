package client_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
)

// A program need not take events. Of many that wait only those remain that later ones do not
// repeat, and the program is told how many were left out.
func TestUntakenEventsAreReplacedByTheLast(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(24 * time.Hour)
		events, unused := w.c.Events(), w.c.Events()
		defer unused.Close()
		require.NoError(t, w.c.Ready(ctx))
		for range 80 {
			w.cell.set(func() { w.cell.failover(w.cell.master%3 + 1) })
			time.Sleep(time.Minute)
		}
		got := next(t, ctx, events)
		require.Equal(t, client.Event{Kind: client.EventFailover, Cell: "local", Epoch: 65, Missed: 63}, got)
		for epoch := 66; epoch <= 81; epoch++ {
			require.Equal(t, client.Event{Kind: client.EventFailover, Cell: "local", Epoch: api.Epoch(epoch)}, next(t, ctx, events))
		}
		_, err := events.Next(w.within(time.Second))
		require.EqualError(t, err, "client: event: context deadline exceeded")
	})
}

func TestEventsEnd(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Hour)
		events := w.c.Events()
		over := make(chan error)
		go func() {
			_, err := events.Next(ctx)
			over <- err
		}()
		time.Sleep(time.Second)
		events.Close()
		require.ErrorIs(t, <-over, client.ErrClosed)
		events.Close()
		_, err := events.Next(ctx)
		require.ErrorIs(t, err, client.ErrClosed)
	})
}

// Closing one Events leaves the others open.
func TestEventsEndEachByItself(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Hour)
		events, other := w.c.Events(), w.c.Events()
		require.NoError(t, w.c.Ready(ctx))
		other.Close()
		w.cell.set(func() { w.cell.failover(3) })
		require.Equal(t, client.EventFailover, next(t, ctx, events).Kind)
		_, err := other.Next(ctx)
		require.ErrorIs(t, err, client.ErrClosed)
	})
}
