package sim_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim"
)

// Blocked reports where a coroutine waits, and does not change the run.
func TestBlockedTellsWhereProgramsWait(t *testing.T) {
	run := func(asks bool) (blocked []sim.Blocked, w *sim.World, ended *int) {
		w, ended = sim.New(sim.Config{Seed: 1}), new(int)
		t.Cleanup(w.Close)
		m := w.Add(sim.MachineConfig{Addr: sim.FirstClient, Process: sim.Program(func(rt *sim.Runtime) {
			done := rt.NewSignal()
			rt.Go("sleeper", func() {
				napsForASecond(rt)
				done.Fire()
			})
			_, _ = rt.Wait(context.Background(), done)
			*ended++
		})})
		m.Start()
		w.Run(500 * time.Millisecond)
		if asks {
			blocked = w.Blocked(sim.FirstClient)
			w.Blocked(sim.FirstClient)
		}
		w.Run(2 * time.Second)
		return blocked, w, ended
	}
	blocked, w, ended := run(true)
	require.Len(t, blocked, 2)
	require.Equal(t, "main", blocked[0].Name)
	require.Regexp(t, `^c1 \(main\) waits in sim_test\.TestBlockedTellsWhereProgramsWait\S* \(blocked_test\.go:\d+\)$`, blocked[0].String())
	require.Regexp(t, `^c1 \(sleeper\) waits in sim_test\.napsForASecond \(blocked_test\.go:\d+\)$`, blocked[1].String())
	require.Equal(t, 1, *ended)
	require.Empty(t, w.Blocked(sim.FirstClient), "all have ended")
	require.Nil(t, w.Blocked(99), "there is no such machine")
	_, unasked, _ := run(false)
	require.Equal(t, unasked.Hash(), w.Hash(), "to be asked is no event")
}

func napsForASecond(rt *sim.Runtime) { _ = rt.Sleep(context.Background(), time.Second) }

// If a coroutine waits in package client, the report names that call and the code that made it.
func TestABlockedCallIsNamedWithItsCaller(t *testing.T) {
	b := sim.Blocked{Machine: sim.FirstClient + 4, Name: "program 0", Calls: []string{
		"client.(*Handle).Acquire (acquire.go:30)", "client.(*Lock).wait (lock.go:9)", "app.work (app.go:20)", "app.main (app.go:3)"}}
	require.Equal(t, "c5 (program 0) waits in client.(*Handle).Acquire (acquire.go:30), called by app.work (app.go:20)", b.String())
	require.Equal(t, "c5 (program 0) waits", sim.Blocked{Machine: sim.FirstClient + 4, Name: "program 0"}.String())
}

// A program that does not end after healing is named, with its workload and the line at which it waits. Of many programs
// some are named, and the others counted.
func TestAProgramThatDoesNotEndIsNamed(t *testing.T) {
	f := sim.Scenario{Setup: func(*sim.World) {}, Workloads: []sim.Workload{endless{}}, Safety: time.Second, Liveness: time.Second}.Run(sim.Config{Seed: 1}).Failure
	require.NotNil(t, f)
	require.Equal(t, "L1", f.ID)
	require.Regexp(t, `^1 client programs have not ended 1s after healing: workload endless, c1 \(main\) waits in sim_test\.\S+ \(blocked_test\.go:\d+\)$`, f.Text)
	var ten []sim.Workload
	for range 10 {
		ten = append(ten, endless{})
	}
	f = sim.Scenario{Workloads: ten, Safety: time.Second, Liveness: time.Second}.Run(sim.Config{Seed: 1}).Failure
	require.Regexp(t, `^10 client programs have not ended 1s after healing: .*; workload endless, c8 \(main\) waits in \S+ \(blocked_test\.go:\d+\); 2 more$`, f.Text)
}

type endless struct{}

func (endless) Name() string { return "endless" }
func (endless) Clients() int { return 1 }
func (endless) Program(int) func(*sim.Runtime) {
	return func(rt *sim.Runtime) { _ = rt.Sleep(context.Background(), time.Hour) }
}
