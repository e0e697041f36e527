package sim_test

import (
	"context"
	"fmt"
	"hash/crc32"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim"
)

// stack is a state machine: "push x" and "pop". The same commands in the same
// order give the same results on every replica, or property S6 breaks.
type stack struct{ items []string }

func (s *stack) Apply(command string) string {
	if item, ok := strings.CutPrefix(command, "push "); ok {
		s.items = append(s.items, item)
		return "ok"
	}
	if last := len(s.items) - 1; last >= 0 {
		defer func() { s.items = s.items[:last] }()
		return s.items[last]
	}
	return "empty"
}

func (s *stack) Checksum() uint64 { return uint64(crc32.ChecksumIEEE(fmt.Append(nil, s.items))) }

// lucky is a stack whose state differs between replicas.
type lucky struct {
	stack
	n int
}

func (l *lucky) Checksum() uint64 { return l.stack.Checksum() + uint64(l.n) }

// user is one client that uses the stack.
type user struct {
	group *sim.Group
	log   []string
}

func (*user) Name() string { return "user" }
func (*user) Clients() int { return 1 }
func (u *user) Program(int) func(rt *sim.Runtime) {
	return func(rt *sim.Runtime) {
		c := u.group.Caller(rt)
		for _, command := range []string{"push a", "push b", "pop", "push c", "pop", "pop", "pop"} {
			answer, _ := c.Call(context.Background(), command) // the context never ends
			u.log = append(u.log, answer)
		}
	}
}

// Example_stateMachine replicates a state machine of one's own. If the state of replicas differs,
// property S6 breaks.
func Example_stateMachine() {
	made := 0
	good := func() sim.StateMachine { return &stack{} }
	bad := func() sim.StateMachine { made++; return &lucky{n: made} }
	for _, state := range []func() sim.StateMachine{good, bad} {
		u := &user{}
		r := sim.Scenario{
			Setup: func(w *sim.World) {
				u.group = sim.NewGroup(w, sim.GroupConfig{Replicas: 5, New: sim.NewPaxos, State: state})
				for i, m := range u.group.Machines() { // all of them reboot, one after the other
					w.After(time.Duration(i+1)*time.Second, func() { m.Crash(); m.Start() })
				}
			},
			Workloads: []sim.Workload{u}, Safety: 10 * time.Second, Liveness: time.Minute,
		}.Run(sim.Config{Seed: 1})
		fmt.Println(u.log, r.Failure != nil && r.Failure.ID == "S6")
	}
	// Output:
	// [ok ok b ok c a empty] false
	// [ok] true
}
