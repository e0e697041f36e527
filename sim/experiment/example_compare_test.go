package experiment_test

import (
	"context"
	"fmt"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/experiment"
)

// answering is a process that sends back what it is sent.
type answering struct{ env *sim.Env }

func (p *answering) Start(env *sim.Env)                             { p.env = env }
func (p *answering) Receive(_ time.Time, from sim.Addr, msg []byte) { p.env.Send(from, msg) }
func (p *answering) Wake(time.Time)                                 {}

// asking is a client that asks a hundred times, and asks again after a timeout.
type asking struct {
	timeout time.Duration
	sent    float64
	waits   []float64 // for answers, in seconds
}

func (*asking) Name() string { return "asking" }
func (*asking) Clients() int { return 1 }
func (l *asking) Program(int) func(rt *sim.Runtime) {
	return func(rt *sim.Runtime) {
		answers := 0
		rt.Receive(func(sim.Replica, []byte) { answers++ })
		for range 100 {
			answers = 0
			for began := rt.Now(); ; {
				rt.Env().Send(1, []byte("?"))
				l.sent++
				if rt.Sleep(context.Background(), l.timeout) != nil {
					return
				}
				if answers > 0 {
					l.waits = append(l.waits, rt.Now().Sub(began).Seconds())
					break
				}
			}
		}
	}
}

// ask runs one seed of a world with a bad network.
func ask(seed uint64, timeout time.Duration) experiment.Sample {
	load := &asking{timeout: timeout}
	sim.Scenario{
		Setup: func(w *sim.World) {
			w.Add(sim.MachineConfig{Process: func() sim.Process { return &answering{} }}).Start()
		},
		Workloads: []sim.Workload{load}, Safety: time.Minute,
	}.Run(sim.Config{Seed: seed, Link: sim.LinkConfig{Delay: sim.Table{time.Millisecond, 4 * time.Millisecond}, Loss: 100_000}})
	return experiment.Sample{Seed: seed, Values: map[string][]float64{"wait": load.waits, "sent": {load.sent}}}
}

// A protocol of one's own is compared with itself under another timeout.
func Example_comparison() {
	c := experiment.NewComparison("5 ms", "20 ms", []experiment.Column{
		{Name: "wait p90", Of: "wait", Percent: 90, Form: experiment.Seconds},
		{Name: "messages", Of: "sent"},
	})
	for seed := range uint64(20) {
		c.Add(experiment.A, ask(seed, 5*time.Millisecond))
		c.Add(experiment.B, ask(seed, 20*time.Millisecond))
	}
	for _, row := range c.Compare() {
		fmt.Println(row.Name, "differs:", row.Differs, "B is more:", row.Difference.Value > 0)
	}
	// Output:
	// wait p90 differs: true B is more: true
	// messages differs: true B is more: false
}
