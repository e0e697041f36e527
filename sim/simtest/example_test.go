package simtest_test

import (
	"testing"

	"github.com/chubbycell/chubby/sim/scenario"
	"github.com/chubbycell/chubby/sim/simtest"
)

// with returns what this program adds to the cell.
func with(w scenario.Workload) *scenario.Extension {
	return &scenario.Extension{
		Faults: []scenario.Fault{blink{}}, Workloads: []scenario.Workload{w}, Properties: []scenario.Property{countedOnce},
	}
}

// The counter is right under the swarm of faults, which includes blink.
func TestCounter(t *testing.T) {
	simtest.Run(t, simtest.Options{With: with(counter{}), Workload: "counter", Seeds: 4})
}

// The checker catches a careless counter.
func TestACarelessCounterIsCaught(t *testing.T) {
	simtest.Expect(t, simtest.Options{With: with(counter{careless: true}), Workload: "counter"}, "X1")
}

// The fault strikes in every seed, and masters lose power.
func TestBlink(t *testing.T) {
	totals := simtest.Run(t, simtest.Options{With: with(counter{}), Workload: "counter", Faults: []string{"blink"}, Seeds: 3})
	if n := totals.Counter("blinks"); n.Seeds == 0 || n.Seeds != totals.Seeds {
		t.Errorf("of %d seeds, %d blinked: %v", totals.Seeds, n.Seeds, totals.Counters)
	}
}

// One seed is one history.
func TestTheExtensionIsDeterministic(t *testing.T) {
	simtest.Verify(t, simtest.Options{With: with(counter{}), Workload: "counter", Seeds: 2})
}
