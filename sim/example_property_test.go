package sim_test

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/sim"
)

// oneToken is a property: at no instant do two machines hold the token. A
// checker sees everything, so it looks straight into the processes.
type oneToken struct{}

func (oneToken) ID() string { return "TOKEN" }

func (oneToken) Check(w *sim.World) error {
	var holders []sim.Addr
	for _, m := range w.Replicas() {
		if p, ok := m.Process().(*ring); ok && p.holds {
			holders = append(holders, m.Addr())
		}
	}
	if len(holders) > 1 {
		return fmt.Errorf("%v hold the token", holders)
	}
	return nil
}

// ring passes a token round. If none came for a second, the first machine makes a new one; it does
// not expect messages that come twice.
type ring struct {
	env   *sim.Env
	holds bool
}

func (p *ring) Start(env *sim.Env) { p.env = env; p.watch(env.Now()) }

func (p *ring) watch(now time.Time) {
	if p.env.Self() == 1 {
		p.env.WakeAt(now.Add(time.Second))
	}
}

func (p *ring) Receive(now time.Time, _ sim.Addr, _ []byte) { p.take(now) }
func (p *ring) Wake(now time.Time)                          { p.take(now) }

func (p *ring) take(now time.Time) {
	p.holds = true
	p.watch(now)
	p.env.Go("use", func() {
		p.env.Sleep(50 * time.Millisecond)
		p.holds = false
		p.env.Send(p.env.Self()%3+1, []byte("token"))
	})
}

// Example_property checks a property of one's own in every run.
func Example_property() {
	run := func(link sim.LinkConfig) {
		r := sim.Scenario{
			Setup: func(w *sim.World) {
				for range 3 {
					w.Add(sim.MachineConfig{Process: func() sim.Process { return &ring{} }}).Start()
				}
			},
			Properties: []sim.Property{oneToken{}},
			Safety:     time.Minute,
			Every:      10 * time.Millisecond,
		}.Run(sim.Config{Seed: 3, Link: link})
		fmt.Println(r.Failure == nil, r.Failure != nil && r.Failure.ID == "TOKEN")
	}
	run(sim.LinkConfig{})
	run(sim.LinkConfig{Duplicate: 50_000, Late: sim.Table{0, time.Second}})
	// Output:
	// true false
	// false true
}
