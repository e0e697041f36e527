package workload

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/plan"
)

// This package implements each workload that the plan names, and no other.
func TestEveryWorkloadOfThePlanIsThere(t *testing.T) {
	require.Len(t, turns, len(plan.Workloads(nil)))
	for _, w := range plan.Workloads(nil) {
		require.NotNil(t, turns[w.Name], w.Name)
	}
}
