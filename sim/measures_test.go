package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Measures are reported by name, in the order in which they were measured. They do not change the run.
func TestMeasuresAreReportedAndChangeNothing(t *testing.T) {
	run := func(measured bool) Report {
		return Scenario{Safety: time.Second, Setup: func(w *World) {
			for i := range 3 {
				w.After(time.Duration(i)*time.Millisecond, func() {
					if measured {
						Measure(w, "z", float64(i))
						Measure(w, "a", 0.5)
					}
				})
			}
		}}.Run(Config{Seed: 1})
	}
	with, without := run(true), run(false)
	require.Equal(t, []Measured{{"a", []float64{0.5, 0.5, 0.5}}, {"z", []float64{0, 1, 2}}}, with.Measures)
	require.Equal(t, without.Hash, with.Hash)
	require.Equal(t, without.Events, with.Events)
	require.Empty(t, without.Measures)
}
