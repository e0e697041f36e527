package cell

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/plan"
)

// A plan names every machine of its cell: traces name them, and --node takes them.
func TestAPlanNamesEveryMachine(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(100) {
		p := plan.New(plan.Options{Seed: seed})
		c := build(p, sim.Config{})
		clients := c.world.Clients()
		require.Len(t, c.world.Replicas(), p.Replicas, "seed %d", seed)
		require.Len(t, clients, p.Clients+len(plan.OthersOf(&p)), "seed %d", seed)
		for i, o := range plan.OthersOf(&p) {
			require.Equal(t, clients[p.Clients+i].Addr(), o.Addr, "seed %d", seed)
			seen[o.What] = true
		}
		if p.Hostile.Gap > 0 {
			require.Equal(t, c.adversary.Name(), model.PrincipalOn(plan.OthersOf(&p)[0].Addr), "seed %d: the hostile client comes first", seed)
		}
		c.world.Close()
	}
	require.Len(t, seen, 3)
}
