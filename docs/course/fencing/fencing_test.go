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

// server is a storage server, and what the checker looks at.
type server interface {
	sim.Process
	sum() (counter, writes uint64)
}

// whole is the property: no update is lost. Each write is of one more than its holder has read.
type whole struct{}

func (whole) ID() string { return "FENCE" }

func (whole) Check(w *sim.World) error {
	if counter, writes := w.Machine(storage).Process().(server).sum(); counter != writes {
		return fmt.Errorf("the counter is %d after %d writes that were done: an update is lost", counter, writes)
	}
	return nil
}

// stops has a client stand still, also between what it reads and what it writes.
type stops struct{}

func (stops) Name() string { return "stops" }

func (stops) Run(s *sim.Stage) {
	for s.Sleep(s.Draw().Duration(0, 2*time.Second)) {
		all := s.World().Clients()
		all[s.Draw().Int(len(all))].PauseFor(s.Draw().Duration(0, 3*time.Second))
	}
}

// holders are clients that acquire the lock, read the counter under it, work, write one more, and free the lock.
type holders struct{ done *int }

func (holders) Name() string { return "holders" }
func (holders) Clients() int { return 3 }

func (l holders) Program(int) func(rt *sim.Runtime) {
	return func(rt *sim.Runtime) {
		var token, counter uint64
		known := false // what the counter is, under this token
		rt.Receive(func(_ sim.Replica, msg []byte) {
			switch w := read(msg); {
			case w.Kind == "lock":
				token = w.Token
			case w.Kind == "value" && w.Token == token:
				counter, known = w.N, true
			case w.Kind == "done":
				*l.done++
			}
		})
		sleep := func(d time.Duration) bool { return rt.Sleep(context.Background(), d) == nil }
		for n := 0; n < 40; n++ {
			token, known = 0, false
			for token == 0 {
				rt.Env().Send(lockServer, word{Kind: "ask"}.bytes())
				if !sleep(50 * time.Millisecond) {
					return
				}
			}
			mine := token
			rt.Env().Send(storage, word{Kind: "read", Token: mine}.bytes())
			if !sleep(100 * time.Millisecond) { // it works
				return
			}
			if known {
				rt.Env().Send(storage, word{"write", mine, counter + 1}.bytes())
			}
			if !sleep(50 * time.Millisecond) {
				return
			}
			rt.Env().Send(lockServer, word{Kind: "free", Token: mine}.bytes())
			if !sleep(50 * time.Millisecond) {
				return
			}
		}
	}
}

func TestNoUpdateIsLost(t *testing.T) { noUpdateIsLost(t, func() server { return &store{} }) }

// noUpdateIsLost is the test of a storage server.
func noUpdateIsLost(t *testing.T, storage func() server) {
	t.Helper()
	exercise.Seeds(t, func(seed uint64, tr sim.Trace) *sim.Failure {
		done := 0
		f := sim.Scenario{
			Setup: func(w *sim.World) {
				w.Add(sim.MachineConfig{Process: func() sim.Process { return &locks{} }}).Start()
				w.Add(sim.MachineConfig{Process: func() sim.Process { return storage() }}).Start()
			},
			Faults:     []sim.Fault{stops{}},
			Workloads:  []sim.Workload{holders{&done}},
			Properties: []sim.Property{whole{}},
			Safety:     20 * time.Second,
			Liveness:   time.Minute,
		}.Run(sim.Config{Seed: seed, Trace: tr, Link: sim.LinkConfig{Delay: sim.Table{time.Millisecond, 10 * time.Millisecond}}}).Failure
		if f == nil && done < 50 {
			t.Fatalf("seed %d: only %d writes were done", seed, done)
		}
		return f
	})
}
