package sim_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/faults"
)

// faulty is a process that panics where it is told to.
type faulty struct {
	env    *sim.Env
	where  string
	counts map[string]int
}

func (p *faulty) Start(env *sim.Env) {
	p.env = env
	switch p.where {
	case "start":
		p.counts["a"] = 1 // a nil map
	case "coroutine":
		env.Go("x", func() {
			env.Sleep(time.Second)
			var list []int
			list[env.Life()]++
		})
	case "wake":
		env.WakeAt(env.Now().Add(time.Second))
	case "post":
		env.PostAfter(time.Second, func(time.Time) { panic("a bug") })
	}
}

func (p *faulty) Receive(time.Time, sim.Addr, []byte) {}
func (p *faulty) Wake(now time.Time)                  { fail() }

func fail() { panic(errors.New("a bug")) }

func failLater(rt *sim.Runtime) {
	_ = rt.Sleep(context.Background(), time.Second)
	fail()
}

// The stack of a panic has the frames of the simulated code, without those of the simulator below it. Check names the
// function that panicked, so that a search for a smaller failure does not end with another panic.
func TestAPanicIsReportedWithTheFramesOfTheSimulatedCode(t *testing.T) {
	for where, want := range map[string]string{
		"start":     "sim_test.(*faulty).Start",
		"coroutine": "sim_test.(*faulty).Start.func1",
		"wake":      "sim_test.fail, sim_test.(*faulty).Wake",
		"post":      "sim_test.(*faulty).Start.func2",
		"program":   "sim_test.fail, sim_test.failLater",
		"check":     "sim_test.fail",
		"fault":     "sim.(*Stage).Replica, sim/faults.Any, sim/faults.recurring.Run",
	} {
		f := panicsIn(where).Run(sim.Config{Seed: 1}).Failure
		require.NotNil(t, f, where)
		var calls []string
		for _, line := range strings.Split(f.Stack, "\n") {
			name, isOurs := strings.CutPrefix(line, "github.com/chubbycell/chubby/")
			if isOurs {
				calls = append(calls, name[:strings.LastIndexByte(name, '(')])
			}
		}
		require.Equal(t, want, strings.Join(calls, ", "), where)
		require.Equal(t, "github.com/chubbycell/chubby/"+calls[0], f.Check, where)
		require.NotContains(t, f.Stack, "created by")
	}
}

// panicsIn returns a scenario with a panic in one place.
func panicsIn(where string) sim.Scenario {
	s := sim.Scenario{Safety: time.Minute, Setup: func(w *sim.World) {
		switch where {
		case "check":
			w.After(time.Second, fail)
		case "program":
			w.Add(sim.MachineConfig{Addr: sim.FirstClient, Process: sim.Program(failLater)}).Start()
		case "fault": // there is no replica to strike
		default:
			w.Add(sim.MachineConfig{Process: func() sim.Process { return &faulty{where: where} }}).Start()
		}
	}}
	if where == "fault" {
		s.Faults = []sim.Fault{faults.Pause(faults.Rate{Every: time.Second, For: time.Second}, faults.Any)}
	}
	return s
}
