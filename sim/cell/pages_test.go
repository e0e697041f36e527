package cell

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
)

// Pages of a directory stand in the history one by one, each with where it begins and
// whether there are more; what was begun in it and never asked for is dropped.
func TestDirectoriesAreReadInPages(t *testing.T) {
	p := plan.New(plan.Options{Seed: 5, Replicas: 3, Clients: 4, Workload: "files", Faults: []string{}})
	p.Hostile = plan.HostilePlan{}
	roomy(&p)
	c := &seedRun{build(p, sim.Trace{})}
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

func TestS4APageHoldsWhatWasAskedFor(t *testing.T) {
	list := func(n int) api.Result {
		return api.Result{Code: api.OK, Detail: api.Listing{Children: make([]api.Child, n)}}
	}
	for name, c := range map[string]struct {
		most   uint64
		n      int
		breaks bool
	}{
		"fewer":          {3, 2, false},
		"as many":        {3, 3, false},
		"one more":       {3, 4, true},
		"as many as fit": {0, 9, false},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKeeper(t)
			k.answer("ann", 7, k.asks(7, "ann", 3, api.ReadDir{Handle: k.token, Most: c.most}), 3, list(c.n))
			if c.breaks {
				k.breaks("S4")
			} else {
				k.good()
			}
		})
	}
}
