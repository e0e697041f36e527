package recipe_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
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
