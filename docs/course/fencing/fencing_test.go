//go:build course

package fencing

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/exercise"
)

// ordered is the property: a holder of the lock does not write behind the next one's back.
type ordered struct{}

func (ordered) ID() string { return "FENCE" }

func (ordered) Check(w *sim.World) error {
	s := w.Machine(storage).Process().(*store)
	for i := 1; i < len(s.tokens); i++ {
		if s.tokens[i] < s.tokens[i-1] {
			return fmt.Errorf("a write under acquisition %d is done behind one under acquisition %d", s.tokens[i], s.tokens[i-1])
		}
	}
	return nil
}

// stops has a client stand still, also between looking at its lock and writing.
type stops struct{}

func (stops) Name() string { return "stops" }

func (stops) Run(s *sim.Stage) {
	for s.Sleep(s.Draw().Duration(0, 2*time.Second)) {
		all := s.World().Clients()
		all[s.Draw().Int(len(all))].PauseFor(s.Draw().Duration(0, 3*time.Second))
	}
}

// holders are clients that acquire the lock, work under it, write, and free it.
type holders struct{ done *int }

func (holders) Name() string { return "holders" }
func (holders) Clients() int { return 3 }

func (l holders) Program(int) func(rt *sim.Runtime) {
	return func(rt *sim.Runtime) {
		var token uint64
		rt.Receive(func(_ uint32, msg []byte) {
			switch w := read(msg); w.Kind {
			case "lock":
				token = w.Token
			case "done":
				*l.done++
			}
		})
		sleep := func(d time.Duration) bool { return rt.Sleep(context.Background(), d) == nil }
		for n := 0; n < 40; n++ {
			token = 0
			for token == 0 {
				rt.Send(uint32(lockServer), word{Kind: "ask"}.bytes())
				if !sleep(50 * time.Millisecond) {
					return
				}
			}
			mine := token
			if !sleep(100 * time.Millisecond) { // it works
				return
			}
			rt.Send(uint32(storage), word{"write", mine}.bytes())
			if !sleep(50 * time.Millisecond) {
				return
			}
			rt.Send(uint32(lockServer), word{"free", mine}.bytes())
			if !sleep(50 * time.Millisecond) {
				return
			}
		}
	}
}

func TestNoWriteBehindTheNextHolder(t *testing.T) {
	exercise.Seeds(t, func(seed uint64, tr sim.Trace) *sim.Failure {
		done := 0
		f := sim.Scenario{
			Setup: func(w *sim.World) {
				w.Add(sim.MachineConfig{Process: func() sim.Process { return &locks{} }}).Start()
				w.Add(sim.MachineConfig{Process: func() sim.Process { return &store{} }}).Start()
			},
			Faults:     []sim.Fault{stops{}},
			Workloads:  []sim.Workload{holders{&done}},
			Properties: []sim.Property{ordered{}},
			Safety:     20 * time.Second,
			Liveness:   time.Minute,
		}.Run(sim.Config{Seed: seed, Trace: tr, Link: sim.LinkConfig{Delay: sim.Table{time.Millisecond, 10 * time.Millisecond}}}).Failure
		if f == nil && done < 50 {
			t.Fatalf("seed %d: only %d writes were done", seed, done)
		}
		return f
	})
}
