package simtest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	lin "github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/simtest"
)

// register is one value on two machines. The first machine sends each write to the second.
type register struct {
	env   *sim.Env
	value string
}

func (r *register) Start(env *sim.Env) { r.env = env }
func (r *register) Wake(time.Time)     {}
func (r *register) Receive(_ time.Time, from sim.Addr, msg []byte) {
	if n, _ := fmt.Sscanf(string(msg), "write %s", &r.value); n == 1 && from.IsClient() {
		r.env.Send(2, msg)
	}
	if from.IsClient() {
		r.env.Send(from, []byte(r.value))
	}
}

// recorded is a workload that records its calls.
type recorded struct {
	readAt sim.Addr // the machine that reads ask; the second one may not have received a write yet
	calls  *lin.Recorder[lin.KVInput, lin.KVOutput]
}

func (recorded) Name() string { return "recorded" }
func (recorded) Clients() int { return 3 }
func (c recorded) Program(client int) func(rt *sim.Runtime) {
	return func(rt *sim.Runtime) {
		var answered sim.Signal
		answer, now := "", func() int64 { return int64(rt.Env().World().Now()) } // true time
		me := int64(client) + 1
		c.calls.Name(me, rt.Env().Self().String()) // in reports; a story looks for this machine
		rt.Receive(func(_ sim.Replica, msg []byte) { answer = string(msg); answered.Fire() })
		for i := range 20 {
			in, to, msg := lin.Read(), c.readAt, "read"
			if client == 0 {
				in, to, msg = lin.Write(fmt.Sprint(i)), 1, fmt.Sprint("write ", i)
			}
			answered = rt.NewSignal()
			call := c.calls.Call(me, now(), in)
			rt.Env().Send(to, []byte(msg))
			if _, err := rt.Wait(context.Background(), answered); err == nil { // a call without an answer has no outcome
				c.calls.OK(call, now(), lin.KVOutput{Found: answer != "", Value: answer})
			}
		}
	}
}
func registers(readAt sim.Addr) simtest.World {
	return simtest.World{Config: sim.Config{Link: sim.LinkConfig{Delay: sim.Table{time.Millisecond, 9 * time.Millisecond}}}, Scenario: func(uint64) sim.Scenario {
		c := recorded{readAt, lin.NewRecorder[lin.KVInput, lin.KVOutput](60)}
		return sim.Scenario{Workloads: []sim.Workload{c}, Properties: []sim.Property{simtest.Linearizable("LIN", lin.Register(), c.calls)}, Safety: time.Second, Liveness: time.Minute, Setup: func(w *sim.World) {
			w.Add(sim.MachineConfig{Process: func() sim.Process { return &register{} }}).Start()
			w.Add(sim.MachineConfig{Process: func() sim.Process { return &register{} }}).Start()
		}}
	}}
}
func TestARegisterIsLinearizable(t *testing.T) { registers(1).Run(t) }
func TestReadsOfACopyAreNot(t *testing.T)      { registers(2).Expect(t, "LIN") }
