package sim_test

import (
	"context"
	"fmt"
	"time"

	"github.com/chubbycell/chubby/sim"
)

// flapping is a fault: the network of one replica goes up and down, faster and faster. A fault
// needs a name and a blocking program, Run. Stage.Next waits for the next strike, and returns false
// when the faults are over.
type flapping struct{}

func (flapping) Name() string { return "flapping" }

func (flapping) Run(s *sim.Stage) {
	m := s.Replica()
	for wait := time.Second; s.Next(func() time.Duration { return wait }); wait = max(wait*9/10, time.Millisecond) {
		s.World().Net().Isolate(m.Addr())
		s.World().Count("flaps")
		s.Sleep(s.Draw().Duration(0, wait))
		s.World().Net().Rejoin(m.Addr())
	}
}

// echo is a process for the fault to disturb.
type echo struct{ env *sim.Env }

func (p *echo) Start(env *sim.Env)                             { p.env = env }
func (p *echo) Receive(_ time.Time, from sim.Addr, msg []byte) { p.env.Send(from, msg) }
func (p *echo) Wake(time.Time)                                 {}

// pings asks the echo a hundred times and counts the answers.
type pings struct{ answers *int }

func (pings) Name() string { return "pings" }
func (pings) Clients() int { return 1 }
func (l pings) Program(int) func(rt *sim.Runtime) {
	return func(rt *sim.Runtime) {
		rt.Receive(func(sim.Replica, []byte) { *l.answers++ })
		for range 100 {
			rt.Env().Send(1, []byte("ping"))
			if rt.Sleep(context.Background(), 100*time.Millisecond) != nil {
				return
			}
		}
	}
}

// Example_fault adds a fault of one's own to a scenario.
func Example_fault() {
	run := func(faults ...sim.Fault) {
		answers := 0
		r := sim.Scenario{
			Setup: func(w *sim.World) {
				w.Add(sim.MachineConfig{Process: func() sim.Process { return &echo{} }}).Start()
			},
			Faults:    faults,
			Workloads: []sim.Workload{pings{&answers}},
			Safety:    10 * time.Second,
			Liveness:  time.Minute,
		}.Run(sim.Config{Seed: 1})
		fmt.Println(r.Failure == nil, "some lost:", answers < 100, "some answered:", answers > 0)
	}
	run()
	run(flapping{})
	// Output:
	// true some lost: false some answered: true
	// true some lost: true some answered: true
}
