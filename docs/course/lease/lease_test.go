//go:build course

package lease

import (
	"fmt"
	"testing"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/exercise"
)

const replicas = 3

// one is the property: at no instant do two replicas lead, each by its own clock.
type one struct{ led *bool }

func (one) ID() string { return "LEASE" }

func (p one) Check(w *sim.World) error {
	var leaders []sim.Addr
	for _, m := range w.Replicas() {
		if r, ok := m.Process().(*replica); ok && m.Up() && r.leads(m.Clock().Mono()) {
			leaders = append(leaders, m.Addr())
			*p.led = true
		}
	}
	if len(leaders) > 1 {
		return fmt.Errorf("%v lead at the same instant", leaders)
	}
	return nil
}

// isolations cuts off one replica after the other, most of all the one that leads, and lets clocks err otherwise:
// in the worst case that of the leader lags as far as it may, and the others run ahead as far.
type isolations struct{}

func (isolations) Name() string { return "isolations" }

func (isolations) Run(s *sim.Stage) {
	for s.Sleep(s.Draw().Duration(0, 3*time.Second)) {
		m := s.Replica()
		for _, o := range s.World().Replicas() {
			if r, ok := o.Process().(*replica); ok && o.Up() && r.leads(o.Clock().Mono()) {
				m = o
			}
		}
		worst := s.Draw().Int(2) == 0
		for _, o := range s.World().Replicas() {
			switch {
			case !worst:
				o.Clock().SetRate(s.Draw().Between(-1000*ppm, 1000*ppm))
			case o == m:
				o.Clock().SetRate(-1000 * ppm)
			default:
				o.Clock().SetRate(1000 * ppm)
			}
		}
		s.Sleep(s.Draw().Duration(0, time.Second))
		s.World().Net().Isolate(m.Addr())
		s.Sleep(s.Draw().Duration(0, 3*time.Second))
		s.World().Net().Rejoin(m.Addr())
	}
}

func TestOneLeader(t *testing.T) { oneLeader(t, end) }

// oneLeader is the test of a rule for the end of a lease.
func oneLeader(t *testing.T, end func(asked, now time.Time) time.Time) {
	t.Helper()
	exercise.Seeds(t, func(seed uint64, tr sim.Trace) *sim.Failure {
		led := false
		f := sim.Scenario{
			Setup: func(w *sim.World) {
				for range replicas {
					w.Add(sim.MachineConfig{Process: func() sim.Process { return &replica{end: end} }}).Start()
				}
			},
			Faults:     []sim.Fault{isolations{}},
			Properties: []sim.Property{one{&led}},
			Safety:     100 * time.Second,
			Every:      5 * time.Millisecond,
		}.Run(sim.Config{Seed: seed, Trace: tr, Link: sim.LinkConfig{Delay: sim.Table{time.Millisecond, 40 * time.Millisecond}, Late: sim.Table{0, 200 * time.Millisecond}, Reorder: 100_000}}).Failure
		if f == nil && !led {
			t.Fatalf("seed %d: no replica ever led", seed)
		}
		return f
	})
}
