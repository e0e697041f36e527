package sim_test

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/sim"
)

// Votes lets the simulator read votes off the disks of synods.
func (s *synod) Votes(record []byte) []sim.Vote {
	if n := decode(record); n.Kind == "accepted" {
		return []sim.Vote{{Slot: 1, Ballot: sim.Ballot{Round: n.B}, Value: n.Val}}
	}
	return nil
}

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

// trial runs a protocol on five replicas with a bad network and reboots.
func trial(seed uint64, protocol func(c sim.NodeConfig) sim.Node) *sim.Failure {
	ms := time.Millisecond
	cfg := sim.GroupConfig{Replicas: 5, New: protocol, Disk: sim.DiskConfig{Sync: sim.Table{ms / 10, 2 * ms}}}
	return sim.Scenario{
		Setup:  func(w *sim.World) { sim.NewGroup(w, cfg) },
		Faults: []sim.Fault{reboots{}},
		Safety: time.Second,
	}.Run(sim.Config{Seed: seed, Link: sim.LinkConfig{
		Delay: sim.Table{ms / 3, ms, 5 * ms}, Late: sim.Table{0, 20 * ms}, Loss: 200_000, Duplicate: 100_000,
	}}).Failure
}

// deaf is wrong: it ignores the votes that promises report.
type deaf struct{ *synod }

func (d deaf) Step(now time.Time, from sim.Addr, msg []byte) {
	if n := decode(msg); n.Kind == "promise" {
		msg = note{Kind: n.Kind, B: n.B}.bytes()
	}
	d.synod.Step(now, from, msg)
}

// amnesiac is wrong: a crash makes it forget what it promised and voted for.
func amnesiac(c sim.NodeConfig) sim.Node {
	s := newSynod(c)
	s.promised, s.voted, s.value = 0, 0, ""
	return s
}

// Example_anotherProtocol implements Node with another protocol: single-decree Paxos
// holds, and two wrong ones are caught.
func Example_anotherProtocol() {
	try := func(name string, protocol func(c sim.NodeConfig) sim.Node) {
		caught := map[string]bool{}
		for seed := uint64(1); seed <= 15; seed++ {
			if f := trial(seed, protocol); f != nil {
				caught[f.ID] = true
			}
		}
		fmt.Println(name, caught)
	}
	try("single-decree Paxos:", func(c sim.NodeConfig) sim.Node { return newSynod(c) })
	try("deaf:", func(c sim.NodeConfig) sim.Node { return deaf{newSynod(c)} })
	try("amnesiac:", amnesiac)
	// Output:
	// single-decree Paxos: map[]
	// deaf: map[S1:true]
	// amnesiac: map[S1:true]
}
