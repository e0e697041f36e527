package exercise

import (
	"testing"
	"time"

	"github.com/chubbycell/chubby/sim"
)

// reboots cuts the power of one replica after the other.
type reboots struct{}

func (reboots) Name() string { return "reboots" }

func (reboots) Run(s *sim.Stage) {
	for s.Sleep(s.Draw().Duration(0, 30*time.Millisecond)) {
		m := s.Replica()
		m.Crash()
		m.StartAfter(s.Draw().Duration(0, 10*time.Millisecond))
	}
}

// OneValue is the test that five replicas with these rules agree on one value, though messages
// are lost, late and doubled, and machines lose power: in sixty seeds, then in schedules that these do not meet.
func OneValue(t *testing.T, rules Rules) {
	t.Helper()
	Seeds(t, func(seed uint64, tr sim.Trace) *sim.Failure {
		ms, chosen := time.Millisecond, 0
		cfg := sim.GroupConfig{
			Replicas: 5, New: func(c sim.NodeConfig) sim.Node { return newSynod(c, rules) },
			Disk: sim.DiskConfig{Sync: sim.Table{ms / 10, 2 * ms}}, OnChosen: func(sim.Addr, sim.Chosen) { chosen++ },
		}
		f := sim.Scenario{
			Setup:  func(w *sim.World) { sim.NewGroup(w, cfg) },
			Faults: []sim.Fault{reboots{}},
			Safety: time.Second,
		}.Run(sim.Config{Seed: seed, Trace: tr, Link: sim.LinkConfig{
			Delay: sim.Table{ms / 3, ms, 5 * ms}, Late: sim.Table{0, 20 * ms}, Loss: 200_000, Duplicate: 100_000,
		}}).Failure
		if f == nil && chosen == 0 {
			t.Fatalf("seed %d: nothing was chosen in a second", seed)
		}
		return f
	})
	if *seed == 0 {
		Schedules(t, rules)
	}
}
