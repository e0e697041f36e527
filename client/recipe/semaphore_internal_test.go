package recipe

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/chubbytest"
)

// The file of one permit is deleted after an Acquire has opened it. The Acquire has another permit that is free, waits for
// one that is not, and fails only where it can wait for none.
func TestAFileThatIsDeletedCostsOnePermit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		c := chubbytest.Start(t, chubbytest.Options{Replicas: 1}).Client(t)
		open := func(path string) *client.Handle {
			h, err := c.Open(ctx, "/ls/local/"+path, client.OpenOptions{Rights: client.Write, Create: client.CreateMay})
			require.NoError(t, err)
			return h
		}
		var slots []*client.Handle
		for i := range 2 {
			slots = append(slots, open(fmt.Sprint("permit-", i)))
		}
		require.NoError(t, open("permit-0").Delete(ctx))
		s := NewSemaphore(c, "/ls/local", len(slots))
		i, lock, err := s.first(ctx, slots)
		require.NoError(t, err)
		require.Equal(t, 1, i)
		require.True(t, lock.Held())
		require.NoError(t, lock.Release(ctx))

		other, err := open("permit-1").Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		time.AfterFunc(time.Minute, func() { _ = other.Release(ctx) })
		i, lock, err = s.first(ctx, slots)
		require.NoError(t, err)
		require.Equal(t, 1, i)
		require.True(t, lock.Held())

		require.NoError(t, open("permit-1").Delete(ctx))
		_, _, err = s.first(ctx, slots)
		require.ErrorIs(t, err, client.ErrGone)
	})
}
