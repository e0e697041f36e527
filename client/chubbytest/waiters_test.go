package chubbytest_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/chubbytest"
)

var lockable = client.OpenOptions{Rights: client.Read | client.Write, Create: client.CreateMay}

// Programs of one Client take two locks in one order, more of them than may wait at the master at a time: the one that
// holds the first is not kept from the second by those that wait for the first.
func TestManyProgramsOfAClientTakeTwoLocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		c := chubbytest.Start(t, chubbytest.Options{}).Client(t)
		var all sync.WaitGroup
		for range 80 {
			all.Go(func() {
				for _, name := range []string{"/ls/local/a", "/ls/local/b"} {
					f, err := c.Open(ctx, name, lockable)
					require.NoError(t, err)
					defer f.Close(ctx)
					_, err = f.Acquire(ctx, client.Exclusive)
					require.NoError(t, err)
				}
			})
		}
		all.Wait()
	})
}

// A lock that is free is acquired though a hundred Acquires of the Client wait for others.
func TestAFreeLockIsAcquiredBesideManyWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cell := chubbytest.Start(t, chubbytest.Options{})
		holder, c := cell.Client(t), cell.Client(t)
		taken, err := holder.Open(ctx, "/ls/local/taken", lockable)
		require.NoError(t, err)
		_, err = taken.Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		var all sync.WaitGroup
		waiting, giveUp := context.WithCancel(ctx)
		for range 100 {
			f, err := c.Open(ctx, "/ls/local/taken", lockable)
			require.NoError(t, err)
			all.Go(func() {
				_, err := f.Acquire(waiting, client.Exclusive)
				require.ErrorIs(t, err, context.Canceled)
			})
		}
		time.Sleep(10 * time.Second)
		free, err := c.Open(ctx, "/ls/local/free", lockable)
		require.NoError(t, err)
		lock, err := free.Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		require.True(t, lock.Held())
		giveUp()
		all.Wait()
	})
}

// A Client that makes many calls while it waits has its turn like one that makes none: what it sends anew, for the calls
// behind it, keeps its place.
func TestAWaitingClientMayMakeManyCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		cell := chubbytest.Start(t, chubbytest.Options{})
		var turns [4]int
		var all sync.WaitGroup
		for i := range turns {
			c := cell.Client(t)
			f, err := c.Open(ctx, "/ls/local/lock", lockable)
			require.NoError(t, err)
			all.Go(func() {
				for ctx.Err() == nil {
					lock, err := f.Acquire(ctx, client.Exclusive)
					if err != nil {
						break
					}
					time.Sleep(time.Second)
					if lock.Release(ctx) == nil {
						turns[i]++
					}
				}
			})
			if i == 0 { // 100 calls a second: three windows of them for each turn of the others
				all.Go(func() {
					for ctx.Err() == nil {
						_, _ = c.Get(ctx, "row")
						time.Sleep(10 * time.Millisecond)
					}
				})
			}
		}
		all.Wait()
		for _, n := range turns {
			require.InDelta(t, 30, n, 3, "%v", turns)
		}
	})
}
