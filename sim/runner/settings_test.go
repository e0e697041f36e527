package runner

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/scenario"
)

// A manifest has everything that decides a run.
func TestSettingsGiveTheOptionsBack(t *testing.T) {
	for name, o := range map[string]plan.Options{
		"none":       {},
		"no faults":  {Faults: []string{}},
		"some":       {Seed: 7, Replicas: 5, Clients: 3, Duration: time.Minute, Faults: []string{"crash", "noise"}, Workload: "mixed", Steady: true},
		"a resource": {Workload: "fenced", Faults: []string{}, Fence: plan.FenceOptions{Mode: plan.FenceAsk, Delay: -1, Drift: 4000}},
		"one alone":  {Judge: "S4"},
		"leases":     {Lease: plan.LeaseOptions{Grant: time.Second, Rho: 300, Error: 1100, OnlyS7: true}},
	} {
		back, err := SettingsOf(o).Options(nil)
		require.NoError(t, err)
		require.Equal(t, o, back, name)
	}
}

// The parts of an extension are taken from the program that reads the settings.
func TestSettingsNameWhatWasAdded(t *testing.T) {
	checker := func() scenario.Checker { return nil }
	x := &scenario.Extension{Properties: []scenario.Property{{ID: "X2", New: checker}, {ID: "X1", New: checker}}}
	s := SettingsOf(plan.Options{With: &scenario.Extension{Properties: x.Properties[1:]}})
	require.Equal(t, []string{"X1"}, s.With.Properties)
	o, err := s.Options(x)
	require.NoError(t, err)
	require.Equal(t, s, SettingsOf(o), "X2 takes no part")
	_, err = s.Options(nil)
	require.ErrorContains(t, err, `this program has no property "X1"`)
}
