package sim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim"
)

// What comes with the world judges after the properties of the Scenario, in order, and only a run in
// which nothing has broken.
func TestAScenarioCallsWhatIsToJudgeAtItsEnd(t *testing.T) {
	var calls []string
	run := func(breaks string) *sim.Failure {
		calls = nil
		judge := func(name string, w *sim.World) {
			if calls = append(calls, name); name == breaks {
				w.Break("X1", "%s after %v", name, w.Now())
			}
		}
		return sim.Scenario{Safety: time.Second, Properties: []sim.Property{whole{judge}}, Setup: func(w *sim.World) {
			sim.AtEnd(w, func() { judge("first", w) })
			sim.AtEnd(w, func() { judge("second", w) })
		}}.Run(sim.Config{}).Failure
	}
	require.Nil(t, run(""))
	require.Equal(t, []string{"property", "first", "second"}, calls)
	require.Equal(t, "first after 1s", run("first").Text)
	require.Equal(t, []string{"property", "first"}, calls)
	require.NotNil(t, run("property"))
	require.Equal(t, []string{"property"}, calls)
}

// whole is a property that judges the run as a whole.
type whole struct {
	judge func(name string, w *sim.World)
}

func (whole) ID() string             { return "X0" }
func (whole) Check(*sim.World) error { return nil }
func (p whole) End(w *sim.World) error {
	p.judge("property", w)
	return nil
}
