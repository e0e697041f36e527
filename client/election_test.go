package client_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
)

// The election of a primary (C6.20): all candidates try to lock the file, the winner writes
// its name into the file, and the others read it. A server accepts requests of the primary
// while its sequencer is valid. When the primary crashes another candidate wins.
func TestAPrimaryIsElected(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Minute)
		names := []string{"ann", "bob", "cat"}
		clients := []*client.Client{w.c, w.guest(nil).Client, w.guest(nil).Client}
		server := lockable(t, ctx, w.guest(nil).Client)
		var stands []*client.Handle
		for _, c := range clients {
			stands = append(stands, lockable(t, ctx, c))
		}
		var former string
		for term, primary := range names {
			var lock *client.Lock
			for i, f := range stands[term:] {
				l, err := f.TryAcquire(ctx, client.Exclusive)
				if i > 0 {
					require.ErrorIs(t, err, client.ErrLockHeld)
					continue
				}
				require.NoError(t, err)
				lock = l
			}
			_, err := stands[term].SetContents(ctx, primary, 0)
			require.NoError(t, err)
			for _, f := range append(stands[term:], server) {
				who, _, err := f.Contents(ctx)
				require.NoError(t, err)
				require.Equal(t, primary, who)
			}
			require.NoError(t, server.CheckSequencer(ctx, lock.Sequencer()))
			if former != "" {
				require.ErrorIs(t, server.CheckSequencer(ctx, former), client.ErrStaleSequencer)
			}
			former = lock.Sequencer()
			require.NoError(t, clients[term].Close(ctx))
			require.ErrorIs(t, server.CheckSequencer(ctx, former), client.ErrStaleSequencer)
		}
	})
}
