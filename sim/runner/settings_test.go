package runner

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/plan"
)

// A manifest says all that decides a run.
func TestSettingsGiveTheOptionsBack(t *testing.T) {
	for name, o := range map[string]plan.Options{
		"none":       {},
		"no faults":  {Faults: []string{}},
		"some":       {Seed: 7, Replicas: 5, Clients: 3, Duration: time.Minute, Faults: []string{"crash", "noise"}, Workload: "mixed", Steady: true},
		"a resource": {Workload: "fenced", Faults: []string{}, Fence: plan.FenceOptions{Mode: plan.FenceAsk, Delay: -1, Drift: 4000}},
		"leases":     {Lease: plan.LeaseOptions{Grant: time.Second, Rho: 300, Error: 1100, OnlyS7: true}},
	} {
		require.Equal(t, o, SettingsOf(o).Options(), name)
	}
}
