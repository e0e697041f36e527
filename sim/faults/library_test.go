package faults

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim"
)

// register is a state machine of one value.
type register struct{ is string }

func (r *register) Apply(c string) string { r.is = c; return c }
func (r *register) Checksum() uint64      { return uint64(len(r.is)) }

// calls are clients that call a group.
type calls struct{ group func() *sim.Group }

func (calls) Name() string { return "calls" }
func (calls) Clients() int { return 2 }
func (l calls) Program(int) func(rt *sim.Runtime) {
	return func(rt *sim.Runtime) {
		c := l.group().Caller(rt)
		for range 40 {
			if _, err := c.Call(context.Background(), "set"); err != nil || rt.Sleep(context.Background(), 20*time.Millisecond) != nil {
				return
			}
		}
	}
}

// paxosUnder runs Paxos under some faults, and counts the strikes. A correct protocol survives the
// faults, and makes progress when they are over.
func paxosUnder(seed uint64, all ...sim.Fault) (struck map[string]uint64, failure *sim.Failure) {
	return groupUnder(seed, func(g func() *sim.Group) sim.Workload { return calls{g} }, all...)
}

// groupUnder is paxosUnder with other clients.
func groupUnder(seed uint64, load func(func() *sim.Group) sim.Workload, all ...sim.Fault) (struck map[string]uint64, failure *sim.Failure) {
	var g *sim.Group
	ms := time.Millisecond
	r := sim.Scenario{
		Setup: func(w *sim.World) {
			g = sim.NewGroup(w, sim.GroupConfig{
				Replicas: 3, New: sim.NewPaxos, State: func() sim.StateMachine { return &register{} },
				Disk: sim.DiskConfig{Sync: sim.Table{ms / 2, 2 * ms}},
			})
		},
		Workloads: []sim.Workload{load(func() *sim.Group { return g })}, Faults: all, Safety: 4 * time.Second, Liveness: time.Minute,
	}.Run(sim.Config{Seed: seed, Link: sim.LinkConfig{Delay: sim.Table{ms, 3 * ms}}})
	struck = map[string]uint64{}
	for _, c := range r.Counters {
		struck[c.Name] = c.N
	}
	return struck, r.Failure
}

func TestEachFaultOfTheLibraryStrikesAndIsTakenBack(t *testing.T) {
	r := Rate{Every: 150 * time.Millisecond, For: 100 * time.Millisecond}
	for _, f := range []sim.Fault{
		Crash(r, Any), Kill(r, Any), Restart(r, Any), TornWrites(r, Any), Pause(r, Any), Isolate(r, Any), Partition(r), OneWay(r, Any),
		Clog(r, Any), Loss(r, 500_000), SlowDisk(r, Any), FailingDisk(r, Any), ClockRate(r, Any, 100_000_000), ClockStep(r, Any, time.Minute),
	} {
		struck, failure := paxosUnder(1, f)
		require.Nil(t, failure, f.Name())
		require.Greater(t, struck["faults."+f.Name()], uint64(5), f.Name())
	}
}

// A fault strikes only machines that its Aim returns, and none if the Aim returns nil.
func TestAFaultStrikesWhereItIsAimed(t *testing.T) {
	r := Rate{Every: 100 * time.Millisecond, For: 50 * time.Millisecond}
	second := func(s *sim.Stage) *sim.Machine {
		m := s.World().Machine(2)
		require.LessOrEqual(t, s.World().Machine(1).Lives(), 1)
		return m
	}
	struck, failure := paxosUnder(1, Crash(r, second))
	require.Nil(t, failure)
	require.Positive(t, struck["faults.crash"])
	struck, failure = paxosUnder(1, Crash(r, func(*sim.Stage) *sim.Machine { return nil }))
	require.Nil(t, failure)
	require.Zero(t, struck["faults.crash"])
}

// A Rate that lets no time pass, and an Aim that is missing, are refused where the fault is made.
func TestAFaultThatCannotWorkIsRefused(t *testing.T) {
	r := Rate{Every: time.Second, For: time.Second}
	for want, make := range map[string]func(){
		"faults: crash with a Rate of Every 0s: it must be above 0, or the fault strikes for ever at one instant":      func() { Crash(Rate{}, Any) },
		"faults: partition with a Rate of Every -1s: it must be above 0, or the fault strikes for ever at one instant": func() { Partition(Rate{Every: -time.Second}) },
		"faults: loss with a Rate of For -1ns: it must be at least 0":                                                  func() { Loss(Rate{Every: 1, For: -1}, 1) },
		"faults: clock-step without an Aim: give faults.Any for a replica that each strike draws":                      func() { ClockStep(r, nil, time.Second) },
	} {
		require.PanicsWithValue(t, want, make)
	}
	_, failure := paxosUnder(1, ClockStep(Rate{Every: time.Second}, Any, time.Second))
	require.Nil(t, failure, "an effect may have no length")
}

// Seeds of a swarm differ in the kinds that are on, each kind is on in some seeds, and one seed
// always gives the same swarm.
func TestASwarmIsDrawnBySeed(t *testing.T) {
	on, many := map[string]int{}, 0
	for seed := range uint64(100) {
		swarm := Swarm(seed)
		require.NotEmpty(t, swarm)
		require.Len(t, Swarm(seed), len(swarm))
		for _, f := range swarm {
			on[f.Name()]++
		}
		if len(swarm) > 7 {
			many++
		}
	}
	require.Len(t, on, 14)
	for name, n := range on {
		require.Greater(t, n, 25, name)
	}
	require.Positive(t, many)
	for seed := range uint64(15) {
		_, failure := paxosUnder(seed, Swarm(seed)...)
		require.Nil(t, failure, "seed %d: %v", seed, failure)
	}
}
