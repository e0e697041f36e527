package chubbytest_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/chubbytest"
	"github.com/chubbycell/chubby/client/recipe"
)

// within is a context that ends long after everything that a test waits for.
func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// A program stands for an election. The leader goes on to lead when the master dies, since it comes
// back to its session at the next master within its grace; and when the leader itself is gone, the
// other program leads.
func TestAnElectionSurvivesKillOfTheMaster(t *testing.T) {
	ctx := within(t)
	cell := chubbytest.Start(t, chubbytest.Options{Replicas: 3, Lease: 2 * time.Second, Grace: time.Minute})
	ann, bob := cell.Client(t), cell.Client(t)

	term, err := recipe.Campaign(ctx, ann, recipe.Candidate{File: "/ls/local/leader", Address: "ann:1"})
	require.NoError(t, err)
	next := make(chan *recipe.Term, 1)
	go func() {
		defer close(next)
		if term, err := recipe.Campaign(ctx, bob, recipe.Candidate{File: "/ls/local/leader", Address: "bob:1"}); err == nil {
			next <- term
		}
	}()

	dead := cell.Master(ctx)
	cell.Kill(dead)
	require.NotEqual(t, dead, cell.Master(ctx))
	require.NoError(t, ann.Put(ctx, "by", "ann")) // the call waits for the next master
	require.NoError(t, term.Context().Err(), "the term outlived the master")
	require.Empty(t, next)

	require.NoError(t, ann.Close(ctx)) // the leader goes
	theirs, ok := <-next
	require.True(t, ok)
	require.True(t, theirs.IsLeader())
}

// A watcher hears of changes that were made while it could not hear: of one that was made while the
// watcher itself was cut off, and of one that waited until a partition of the cell was over.
func TestAWatcherHearsAChangeAfterAPartitionHeals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := within(t)
		cell := chubbytest.Start(t, chubbytest.Options{Replicas: 3, Lease: 12 * time.Second, Grace: 45 * time.Second})
		writer, watcher := cell.Client(t), cell.Client(t)
		config, err := writer.Open(ctx, "/ls/local/config", client.OpenOptions{Rights: client.Write, Create: client.CreateMay})
		require.NoError(t, err)
		seen, err := watcher.Open(ctx, "/ls/local/config", client.OpenOptions{Rights: client.Read, Events: client.WantContents})
		require.NoError(t, err)

		hears := func(want string) {
			for text := ""; text != want; { // read again after each event, whatever its kind
				_, err := seen.Events().Next(ctx)
				require.NoError(t, err)
				text, _, err = seen.Contents(ctx)
				require.NoError(t, err)
			}
		}
		cell.CutClient(watcher)
		_, err = config.SetContents(ctx, "one", 0)
		require.NoError(t, err)
		cell.HealClient(watcher)
		hears("one")

		cell.Partition([]int{1}, []int{2}, []int{3}) // no majority
		written := make(chan error, 1)
		go func() {
			_, err := config.SetContents(ctx, "two", 0)
			written <- err
		}()
		cell.Heal()
		hears("two")
		require.NoError(t, <-written)
	})
}

// A client that is cut off for longer than its lease knows that it does not hold its lock any more,
// before another client has it. In a bubble the lease costs no time.
func TestALockIsLostWhenItsClientIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := within(t)
		cell := chubbytest.Start(t, chubbytest.Options{Lease: 12 * time.Second, Grace: 45 * time.Second})
		ann, bob := cell.Client(t), cell.Client(t)
		open := func(c *client.Client) *client.Handle {
			h, err := c.Open(ctx, "/ls/local/job", client.OpenOptions{Rights: client.Write, Create: client.CreateMay})
			require.NoError(t, err)
			return h
		}
		mine, err := open(ann).Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		require.True(t, mine.Held())

		cut := time.Now()
		cell.CutClient(ann)
		theirs, err := open(bob).Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		require.True(t, theirs.Held())
		require.False(t, mine.Held())
		require.ErrorIs(t, mine.Err(), client.ErrJeopardy, "it cannot know that the lock is lost, and must not act on it")
		require.Less(t, time.Since(cut), 24*time.Second, "the cell waits for two leases at most")

		<-mine.Done()
		require.ErrorIs(t, mine.Err(), client.ErrSessionExpired)
		require.Less(t, time.Since(cut), 58*time.Second, "lease and grace")
	})
}
