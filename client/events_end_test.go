package client_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
)

// A Client that is closed ends all queues of events, its own and those of handles, also where the cell
// cannot be reached: no reader of them waits for ever.
func TestTheEventsEndWithTheClient(t *testing.T) {
	for name, within := range map[string]time.Duration{"closed": time.Minute, "closed while it is cut off": 0} {
		t.Run(name, func(t *testing.T) {
			bubble(t, nil, func(w *world) {
				ctx := w.within(time.Hour)
				h, err := w.c.Open(ctx, "/ls/local/f", client.OpenOptions{Create: client.CreateMay, Events: client.WantContents})
				require.NoError(t, err)
				events := w.c.Events()
				over := make(chan error, 2)
				for _, e := range []*client.Events{events, h.Events()} {
					go func() {
						for _, err := range e.All(context.Background()) {
							if err != nil {
								over <- err
							}
						}
					}()
				}
				ended := false
				w.c.Events().Each(context.Background(), func(client.Event) {})
				w.rt.Go("each", func() {
					_, err := w.c.Events().Next(context.Background())
					ended = err != nil
				})
				synctest.Wait()

				if within == 0 {
					w.cut(w.rt)
					require.ErrorIs(t, w.c.Close(w.within(0)), context.DeadlineExceeded)
				} else {
					require.NoError(t, w.c.Close(w.within(within)))
				}
				require.ErrorIs(t, <-over, client.ErrClosed)
				require.ErrorIs(t, <-over, client.ErrClosed)
				synctest.Wait()
				require.True(t, ended)

				_, err = w.c.Events().Next(context.Background())
				require.ErrorIs(t, err, client.ErrClosed, "one that is asked for later")
				w.cut(nil)
				time.Sleep(10 * time.Minute) // the session is over at the cell, and here
			})
		})
	}
}

// Behind the EventExpired after which no session can follow the events end; behind another they go on.
func TestTheEventsEndWithTheLastSession(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Hour)
		events := w.c.Events()
		require.NoError(t, w.c.Put(ctx, "k", "1"))
		expire := func(lossless bool) {
			w.expire()
			for _, k := range []client.EventKind{client.EventJeopardy, client.EventExpired} {
				e := next(t, ctx, events)
				require.Equal(t, k, e.Kind)
				require.Equal(t, lossless && k == client.EventExpired, e.Renewable)
			}
		}
		expire(true)
		_, err := events.Next(w.within(time.Second))
		require.ErrorIs(t, err, context.DeadlineExceeded)

		_, err = w.c.Open(ctx, "/ls/local/f", client.OpenOptions{Create: client.CreateMay})
		require.NoError(t, err)
		expire(false) // a handle was lost
		_, err = events.Next(ctx)
		require.ErrorIs(t, err, client.ErrSessionExpired)
		require.ErrorIs(t, w.c.Put(ctx, "k", "2"), client.ErrSessionExpired)
		_, err = w.c.Events().Next(ctx)
		require.ErrorIs(t, err, client.ErrSessionExpired)
	})
}

// While another cell may be called, its events may come.
func TestTheEventsOfOtherCellsGoOn(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Hour)
		g := w.guest(nil, client.WithCells(map[string][]uint32{"far": {1, 2, 3}}))
		events := g.Events()
		_, err := g.Open(ctx, "/ls/local/f", client.OpenOptions{Create: client.CreateMay})
		require.NoError(t, err)
		w.cut(g.rt)
		time.Sleep(5 * time.Minute)
		w.cut(nil)
		require.Equal(t, client.EventJeopardy, next(t, ctx, events).Kind)
		require.Equal(t, client.EventExpired, next(t, ctx, events).Kind)
		_, err = events.Next(w.within(time.Second))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NoError(t, g.Close(ctx))
		_, err = events.Next(ctx)
		require.ErrorIs(t, err, client.ErrClosed)
	})
}

func TestAMisconfiguredClientHasNoEvents(t *testing.T) {
	c := client.New(client.NewRuntime(func(client.Replica, []byte) {}), client.Config{})
	_, err := c.Events().Next(t.Context())
	require.ErrorIs(t, err, client.ErrInvalid)
}
