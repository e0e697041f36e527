package seeds

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
)

func TestAPanicOfTheSimulatorIsNoVerdict(t *testing.T) {
	var told []cell.Result
	Batch{From: 5, Seeds: 1, MaxFailures: 1, Jobs: 1, Runner: func(plan.Options) cell.Result { panic("a checker's bug") },
		Each: func(r cell.Result) { told = append(told, r) }}.Run(t.Context())
	require.Len(t, told, 1)
	require.True(t, told[0].Internal)
	require.EqualValues(t, 5, told[0].Seed)
	require.Contains(t, told[0].Breach.Text, "a checker's bug")
	require.NotEmpty(t, told[0].Stack)
}
