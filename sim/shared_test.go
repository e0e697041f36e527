package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim"
)

// Shared returns one value for each world and key.
func TestSharedIsOneValueInAWorld(t *testing.T) {
	type account struct{ paid int }
	type key struct{}
	of := func(w *sim.World, k any) *account {
		return sim.Shared(w, k, func() *account { return &account{paid: 1} })
	}
	w, x := sim.New(sim.Config{Seed: 1}), sim.New(sim.Config{Seed: 1})
	of(w, key{}).paid++
	require.Equal(t, 2, of(w, key{}).paid)
	require.Equal(t, 1, of(w, "another").paid)
	require.Equal(t, 1, of(x, key{}).paid)
}
