package cell

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
)

// The history has each page of a directory as one call, with where it begins and whether there are
// more. A page that a program began to read and never requested is dropped.
func TestDirectoriesAreReadInPages(t *testing.T) {
	p := plan.New(plan.Options{Seed: 5, Replicas: 3, Clients: 4, Workload: "files", Faults: []string{}})
	p.Hostile = plan.HostilePlan{}
	roomy(&p)
	c := &seedRun{build(p, sim.Config{})}
	t.Cleanup(c.world.Close)
	c.start()
	require.Equal(t, sim.Reached, c.world.Run(60*time.Second))
	require.Nil(t, c.world.Failure())

	var first, later, last, dropped int
	for _, op := range c.nodes.History.History().Operations() {
		if op.Input.Op != linearizability.FileReadDir {
			continue
		}
		switch {
		case op.Outcome == linearizability.OutcomeFailed && op.Input.After != "":
			dropped++
		case op.Outcome != linearizability.OutcomeOK || op.Output.Code != linearizability.FileOK:
		case op.Input.After == "" && op.Output.More:
			first++
		case op.Output.More:
			later++
		case op.Input.After != "":
			last++
		}
		for _, child := range op.Output.Children {
			require.Greater(t, child.Name, op.Input.After)
		}
	}
	for what, n := range map[string]int{"first": first, "later": later, "last": last, "dropped": dropped} {
		require.Positive(t, n, what)
	}
	require.Equal(t, uint64(later+last), c.nodes.Pages)
}
