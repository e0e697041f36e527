package sim_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"strconv"
	"time"

	"github.com/chubbycell/chubby/sim"
)

// counter is a state machine: "add" raises a number and returns it.
type counter struct{ n uint64 }

func (c *counter) Apply(string) string { c.n++; return strconv.FormatUint(c.n, 10) }
func (c *counter) Checksum() uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, c.n)
	return h.Sum64()
}

// adders is a workload: clients that add, and keep the answers.
type adders struct {
	group   func() *sim.Group
	clients int
	times   int
	told    map[string]int
}

func (a *adders) Name() string { return "adders" }
func (a *adders) Clients() int { return a.clients }

// Program is one client's program: ordinary blocking code.
func (a *adders) Program(int) func(rt *sim.Runtime) {
	return func(rt *sim.Runtime) {
		c := a.group().Caller(rt)
		for range a.times {
			answer, err := c.Call(context.Background(), "add")
			if err != nil {
				return
			}
			a.told[answer]++
			if rt.Sleep(context.Background(), 20*time.Millisecond) != nil {
				return
			}
		}
	}
}

// Example_workload has four clients add to a replicated counter. No two clients may
// get the same number.
func Example_workload() {
	var g *sim.Group
	load := &adders{group: func() *sim.Group { return g }, clients: 4, times: 50, told: map[string]int{}}
	r := sim.Scenario{
		Setup: func(w *sim.World) {
			g = sim.NewGroup(w, sim.GroupConfig{
				Replicas: 3, New: sim.NewPaxos, State: func() sim.StateMachine { return &counter{} },
			})
		},
		Workloads: []sim.Workload{load},
		Safety:    5 * time.Second,
		Liveness:  time.Minute,
	}.Run(sim.Config{Seed: 2, Link: sim.LinkConfig{Delay: sim.Table{time.Millisecond, 3 * time.Millisecond}, Loss: 20_000}})
	fmt.Println(r.Failure == nil, "different answers:", len(load.told))
	// Output:
	// true different answers: 200
}
