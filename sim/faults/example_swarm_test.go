package faults_test

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/faults"
)

// tally is a program of one's own. It counts, writes each number to its log, and sends the number
// to the last replica. A careful tally sends only numbers that are on its disk.
type tally struct {
	sim.Outbox
	c        sim.NodeConfig
	careless bool
	n        int
}

func (t *tally) Step(time.Time, sim.Addr, []byte) {}

func (t *tally) Advance(now time.Time) {
	t.n++
	number, to := []byte(fmt.Sprint(t.n)), t.c.Members[len(t.c.Members)-1]
	if t.careless {
		t.Send(number, to)
	}
	t.Record(number, number, to)
	t.WakeAt(now.Add(5 * time.Millisecond))
}

// run runs a seed under its swarm. A replica must know in its next life the numbers that it has
// sent.
func run(seed uint64, careless bool) *sim.Failure {
	told := map[sim.Addr]int{}
	var world *sim.World
	cfg := sim.GroupConfig{Replicas: 3, Disk: sim.DiskConfig{Sync: sim.Table{time.Millisecond, 3 * time.Millisecond}}, New: func(c sim.NodeConfig) sim.Node {
		if told[c.Self] > len(c.Records) {
			world.Break("TALLY", "%v knows of %d numbers, and has told of %d", c.Self, len(c.Records), told[c.Self])
		}
		t := &teller{tally{Outbox: sim.NewOutbox(c), c: c, careless: careless, n: len(c.Records)}, told}
		t.WakeAt(c.Now)
		return t
	}}
	return sim.Scenario{
		Setup:  func(w *sim.World) { world = w; sim.NewGroup(w, cfg) },
		Faults: faults.Swarm(seed),
		Safety: 5 * time.Second,
	}.Run(sim.Config{Seed: seed}).Failure
}

// teller notes the numbers that a tally sends.
type teller struct {
	tally
	told map[sim.Addr]int
}

func (t *teller) TakeOutput() sim.Output {
	o := t.tally.TakeOutput()
	for _, e := range o.Send {
		n := 0
		_, _ = fmt.Sscan(string(e.Msg), &n)
		t.told[t.c.Self] = max(t.told[t.c.Self], n)
	}
	return o
}

// Example_swarm runs a program of one's own under faults that each seed draws. The careful program
// forgets no number that it has sent; the careless one does.
func Example_swarm() {
	for _, careless := range []bool{false, true} {
		caught := 0
		for seed := range uint64(20) {
			if run(seed, careless) != nil {
				caught++
			}
		}
		fmt.Println("careless:", careless, "caught:", caught > 0)
	}
	// Output:
	// careless: false caught: false
	// careless: true caught: true
}
