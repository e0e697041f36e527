package faults

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim"
)

var short = Rate{Every: 150 * time.Millisecond, For: 100 * time.Millisecond}

// Each kind of the library that may strike a client does so, and is undone: the programs end. Only machines of clients
// are struck.
func TestFaultsStrikeClients(t *testing.T) {
	r := short
	for _, f := range []sim.Fault{
		Crash(r, AnyClient), Kill(r, AnyClient), Restart(r, AnyClient), Pause(r, AnyClient), Isolate(r, AnyClient), PartitionWith(r, AnyClient),
		OneWay(r, AnyClient), Clog(r, AnyClient), LossAt(r, AnyClient, 500_000), ClockRate(r, AnyClient, 100_000_000), ClockStep(r, AnyClient, time.Minute),
	} {
		struck, failure := paxosUnder(1, f)
		require.Nil(t, failure, f.Name())
		require.Greater(t, struck["faults."+f.Name()], uint64(5), f.Name())
	}
}

// aimed returns which machines an Aim draws in a hundred strikes.
func aimed(aim Aim, clients int) map[string]bool {
	seen := map[string]bool{}
	f := recur("look", Rate{Every: time.Millisecond}, aim, func(_ *sim.Stage, m *sim.Machine) func() {
		seen[m.Addr().String()] = true
		return func() {}
	})
	sim.Scenario{Faults: []sim.Fault{f}, Safety: 100 * time.Millisecond, Setup: func(w *sim.World) {
		for i := range 3 {
			w.Add(sim.MachineConfig{Addr: sim.Addr(1 + i), Process: sim.Program(func(*sim.Runtime) {})})
		}
		for i := range clients {
			w.Add(sim.MachineConfig{Addr: sim.FirstClient + sim.Addr(i), Process: sim.Program(func(*sim.Runtime) {})})
		}
	}}.Run(sim.Config{Seed: 1})
	return seen
}

func TestAims(t *testing.T) {
	require.Equal(t, map[string]bool{"n1": true, "n2": true, "n3": true}, aimed(Any, 2))
	require.Equal(t, map[string]bool{"c1": true, "c2": true}, aimed(AnyClient, 2))
	require.Equal(t, map[string]bool{"n1": true, "n2": true, "n3": true, "c1": true, "c2": true}, aimed(AnyMachine, 2))
	require.Empty(t, aimed(AnyClient, 0), "without clients none is struck")
}

// A client in a partition is on one side of it: where it reaches one replica and not another one, these do not reach each
// other either.
func TestAPartitionWithAClientSplitsItToo(t *testing.T) {
	var trace bytes.Buffer
	still := sim.Program(func(*sim.Runtime) {})
	sim.Scenario{Faults: []sim.Fault{PartitionWith(short, AnyClient)}, Safety: 5 * time.Second, Setup: func(w *sim.World) {
		for _, a := range []sim.Addr{1, 2, 3, sim.FirstClient} {
			w.Add(sim.MachineConfig{Addr: a, Process: still})
		}
	}}.Run(sim.Config{Seed: 1, Trace: sim.Trace{W: &trace}})
	cut := map[string]map[string]bool{} // by instant: which links
	for line := range strings.Lines(trace.String()) {
		if f := strings.Fields(line); len(f) == 7 && f[5] == "net.cut" {
			to, err := strconv.Atoi(f[6])
			require.NoError(t, err)
			if cut[f[1]] == nil {
				cut[f[1]] = map[string]bool{}
			}
			cut[f[1]][fmt.Sprint(f[2], " ", sim.Addr(to))] = true
		}
	}
	split := 0
	for at, links := range cut {
		for _, a := range []string{"n1", "n2", "n3"} {
			require.Equal(t, links["c1 "+a], links[a+" c1"], "both directions")
			for _, b := range []string{"n1", "n2", "n3"} {
				if links["c1 "+a] && !links["c1 "+b] {
					split++
					require.True(t, links[a+" "+b], "at %s: %v", at, links)
				}
			}
		}
	}
	require.Positive(t, split)
}

// A swarm with clients has the replicas' faults of the plain swarm. Each kind strikes clients in some seeds, and Paxos
// survives.
func TestASwarmWithClients(t *testing.T) {
	on := map[string]int{}
	for seed := range uint64(100) {
		plain, all := Swarm(seed), SwarmWithClients(seed)
		require.Greater(t, len(all), len(plain))
		for i, f := range all {
			if i < len(plain) {
				require.Equal(t, plain[i].Name(), f.Name())
				require.Equal(t, plain[i].(recurring).rate, f.(recurring).rate)
				continue
			}
			require.True(t, strings.HasPrefix(f.Name(), "client-"), f.Name())
			on[f.Name()]++
		}
	}
	require.Len(t, on, len(ofClients))
	for name, n := range on {
		require.Greater(t, n, 25, name)
	}
	for seed := range uint64(15) {
		struck, failure := paxosUnder(seed, SwarmWithClients(seed)...)
		require.Nil(t, failure, "seed %d: %v", seed, failure)
		require.Positive(t, len(struck))
	}
}

// own are clients whose commands differ from life to life: an answer to another life's command is a wrong one.
type own struct{ calls }

func (l own) Program(int) func(rt *sim.Runtime) {
	return func(rt *sim.Runtime) {
		c := l.group().Caller(rt)
		for i := range 20 {
			text := fmt.Sprintf("%v life %d call %d", rt.Env().Self(), rt.Env().Life(), i)
			got, err := c.Call(context.Background(), text)
			if err == nil && got != text {
				rt.Env().World().Break("OWN", "%v called %q, and the answer is %q", rt.Env().Self(), text, got)
			}
			if err != nil || rt.Sleep(context.Background(), 5*time.Millisecond) != nil {
				return
			}
		}
	}
}

// A client that restarts does not take an answer to its former life for one to its own call.
func TestACallerOfANewLifeGetsItsOwnAnswers(t *testing.T) {
	restarts := Rate{Every: 30 * time.Millisecond, For: 10 * time.Millisecond}
	for seed := range uint64(5) {
		_, failure := groupUnder(seed, func(g func() *sim.Group) sim.Workload { return own{calls{g}} }, Restart(restarts, AnyClient))
		require.Nil(t, failure, "seed %d: %v", seed, failure)
	}
}
