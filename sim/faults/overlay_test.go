package faults

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim"
)

// Strikes of two faults on one thing may begin and end in any order. The latest strike in force
// counts, and after the last one the thing is as it was.
func TestOverlaysAreTakenAwayInAnyOrder(t *testing.T) {
	w := sim.New(sim.Config{})
	defer w.Close()
	rate := int64(5)
	lay := func(now int64) func() {
		return overlay(w, clockOf{}, rate, now, func(v int64) { rate = v })
	}
	for range 2 {
		first := lay(10)
		second := lay(20)
		require.EqualValues(t, 20, rate)
		first()
		require.EqualValues(t, 20, rate)
		third := lay(30)
		third()
		require.EqualValues(t, 20, rate)
		second()
		require.EqualValues(t, 5, rate)
	}
}

// Two faults of one kind in one scenario leave links, clocks and disks as they were.
func TestTwoFaultsOfAKindLeaveThingsAsTheyWere(t *testing.T) {
	r := Rate{Every: 50 * time.Millisecond, For: 100 * time.Millisecond}
	first := func(s *sim.Stage) *sim.Machine { return s.World().Replicas()[0] }
	var world *sim.World
	ms := time.Millisecond
	link := sim.LinkConfig{Delay: sim.Table{ms, 2 * ms}, Loss: 7}
	ran := sim.Scenario{
		Setup: func(w *sim.World) {
			world = w
			sim.NewGroup(w, sim.GroupConfig{
				Replicas: 3, New: sim.NewPaxos, State: func() sim.StateMachine { return &register{} },
				Disk: sim.DiskConfig{Sync: sim.Table{ms / 2, 2 * ms}},
			})
		},
		Faults: []sim.Fault{
			Loss(r, 500_000), Loss(r, 500_000), ClockRate(r, first, 100_000_000), ClockRate(r, first, 100_000_000),
			SlowDisk(r, first), SlowDisk(r, first), FailingDisk(r, first), FailingDisk(r, first),
		},
		Safety: 4 * time.Second,
	}.Run(sim.Config{Seed: 3, Link: link})
	require.Nil(t, ran.Failure)
	replicas := world.Replicas()
	require.Equal(t, link, world.Net().Link(replicas[0].Addr(), replicas[1].Addr()).Config())
	require.Zero(t, replicas[0].Clock().RatePPB())
}
