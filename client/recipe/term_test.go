package recipe_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/recipe"
)

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
