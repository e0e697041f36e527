package recipe_test

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

// A program that is lost, and leads again at the same address, is another leader: its term has another generation.
func TestObserveTellsThatTheSameAddressLeadsAgain(t *testing.T) {
	cell := startCell()
	defer cell.stop()
	c, disconnect := cell.dial()
	defer disconnect()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()

	campaign := func() (lost func()) {
		c, disconnect := cell.dial()
		_, err := recipe.Campaign(ctx, c, recipe.Candidate{File: "/ls/local/leader", Address: "one"})
		require.NoError(t, err)
		return disconnect
	}
	lost := campaign()
	var seen []recipe.Leader
	for l, err := range recipe.Observe(ctx, c, "/ls/local/leader") {
		require.NoError(t, err)
		require.Equal(t, "one", l.Address)
		if seen = append(seen, l); len(seen) == 2 {
			break
		}
		lost()
		lost = campaign()
	}
	lost()
	require.Greater(t, seen[1].Generation, seen[0].Generation)
}

// A term does not end with the context of its Campaign. It may have another address, until it ends.
func TestATermOutlivesTheContextOfItsCampaign(t *testing.T) {
	cell := startCell()
	defer cell.stop()
	c, disconnect := cell.dial()
	defer disconnect()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()

	campaign, end := context.WithCancel(ctx)
	term, err := recipe.Campaign(campaign, c, recipe.Candidate{File: "/ls/local/leader", Address: "one"})
	require.NoError(t, err)
	end()
	require.NoError(t, term.Context().Err())
	require.NoError(t, term.HeldContext().Err())
	require.NoError(t, term.Update(ctx, "two"))
	for l, err := range recipe.Observe(ctx, c, "/ls/local/leader") {
		require.NoError(t, err)
		require.Equal(t, "two", l.Address)
		break
	}
	require.NoError(t, term.Resign(ctx))
	<-term.Context().Done()
	require.ErrorIs(t, term.Update(ctx, "three"), client.ErrClosed)
}

// A handle may outlive its lock, as after a deletion of the file that was given up. A leader that has lost the
// lock must not replace the address of the next one, nor empty the file.
func TestAFormerLeaderDoesNotReplaceTheAddressOfThePresentOne(t *testing.T) {
	cell := startCell()
	defer cell.stop()
	ann, disconnectAnn := cell.dial()
	defer disconnectAnn()
	bob, disconnectBob := cell.dial()
	defer disconnectBob()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()

	const file = "/ls/local/leader"
	former, err := recipe.Campaign(ctx, ann, recipe.Candidate{File: file, Address: "ann"})
	require.NoError(t, err)
	require.NoError(t, recipe.LockOf(former).Release(ctx))
	present, err := recipe.Campaign(ctx, bob, recipe.Candidate{File: file, Address: "bob"})
	require.NoError(t, err)

	require.ErrorIs(t, former.Update(ctx, "ann again"), client.ErrStaleSequencer)
	require.NoError(t, former.Resign(ctx))
	require.True(t, present.IsLeader())
	for l, err := range recipe.Observe(ctx, bob, file) {
		require.NoError(t, err)
		require.Equal(t, "bob", l.Address)
		break
	}
}

// A leader resigns while so many calls of its Client wait that no other may. The lock is freed, and the error tells that the
// file has the address still.
func TestAResignationThatLeavesTheAddressFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cell := chubbytest.Start(t, chubbytest.Options{Replicas: 1, Lease: 10 * time.Second})
		c, other := cell.Client(t, client.WithConfig(client.Config{Window: 1, Queue: 1})), cell.Client(t)
		term, err := recipe.Campaign(ctx, c, recipe.Candidate{File: "/ls/local/leader", Address: "one"})
		require.NoError(t, err)
		cell.CutClient(c)
		for range 2 { // one is under way, and one waits
			go func() { _ = c.Put(ctx, "k", "v") }()
			synctest.Wait()
		}
		time.AfterFunc(time.Second, func() { cell.HealClient(c) })
		require.ErrorIs(t, term.Resign(ctx), client.ErrBusy)
		require.False(t, term.IsLeader())
		require.ErrorIs(t, term.Err(), client.ErrClosed)

		h, err := other.Open(ctx, "/ls/local/leader", client.OpenOptions{Rights: client.Read | client.Write})
		require.NoError(t, err)
		_, err = h.TryAcquire(ctx, client.Exclusive)
		require.NoError(t, err)
		text, _, err := h.Contents(ctx)
		require.NoError(t, err)
		require.Equal(t, "one", text)
		require.NoError(t, term.Resign(ctx), "the term is over")
	})
}
