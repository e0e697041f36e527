package simtest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/recipe"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/cellkit"
	"github.com/chubbycell/chubby/sim/faults"
	"github.com/chubbycell/chubby/sim/simtest"
)

// store is a server of one's own beside the cell. It has a number, and its fence refuses former leaders.
func store(fenced bool) func(rt *sim.Runtime) {
	return func(rt *sim.Runtime) {
		fence, number := recipe.NewFence("/ls/west/leader"), 0
		rt.Receive(func(from sim.Replica, msg []byte) { // "read by SEQUENCER", "replace NUMBER by SEQUENCER"
			verb, sequencer, _ := strings.Cut(string(msg), " by ")
			base := 0
			n, _ := fmt.Sscanf(verb, "replace %d", &base)
			if err := fence.Write(sequencer); fenced && err != nil {
				rt.Env().Count("refused")
				return
			}
			if n == 1 && base != number {
				rt.Env().World().Break("N1", "number %d is replaced by a leader that has read %d", number, base)
			}
			number += n
			rt.Send(from, fmt.Append(nil, number))
		})
	}
}

// counters are programs that stand for election. The leader counts the number of the store up.
type counters struct{ cell *cellkit.Cell }

func (counters) Name() string { return "counters" }
func (counters) Clients() int { return 3 }
func (l *counters) Program(int) func(rt *sim.Runtime) {
	return func(rt *sim.Runtime) {
		for rt.Env().World().Now() < time.Minute { // as long as there are faults
			ctx, cancel := rt.WithTimeout(context.Background(), 20*time.Second)
			c := cellkit.NewClient(rt, client.Config{}, l.cell)
			if term, err := recipe.Campaign(ctx, c, recipe.Candidate{File: "/ls/west/leader"}); err == nil {
				count(ctx, rt, term)
			}
			_ = c.Close(ctx)
			cancel()
		}
	}
}

func count(ctx context.Context, rt *sim.Runtime, term *recipe.Term) {
	ask := func(what string) (answer string, err error) { // of the store: n4, after the replicas n1 to n3
		answered := rt.NewSignal()
		rt.Receive(func(_ sim.Replica, msg []byte) { answer = string(msg); answered.Fire() })
		rt.Send(sim.Replica{ID: 4}, []byte(what+" by "+term.Sequencer()))
		_, err = rt.Wait(ctx, answered)
		return answer, err
	}
	for n := 0; n < 20 && term.IsLeader(); n++ {
		number, err := ask("read")
		if err != nil || rt.Sleep(ctx, 100*time.Millisecond) != nil { // it works, and may be late
			return
		}
		if _, err := ask("replace " + number); err != nil {
			return
		}
		rt.Env().Count("counted")
	}
}

func counting(fenced bool) simtest.World {
	return simtest.World{Seeds: 6, Config: sim.Config{Link: sim.LinkConfig{Delay: sim.Table{time.Millisecond, 30 * time.Millisecond}}, Trace: sim.Trace{Describe: cellkit.Describe}}, Scenario: func(uint64) sim.Scenario {
		l, rate := &counters{}, faults.Rate{Every: 2 * time.Second, For: 4 * time.Second}
		master := func(s *sim.Stage) *sim.Machine { return l.cell.Master(s) }
		return sim.Scenario{Workloads: []sim.Workload{l}, Safety: time.Minute, Liveness: time.Minute, Setup: func(w *sim.World) {
			l.cell = cellkit.Add(w, cellkit.Config{Name: "west", Tune: func(c *driver.Config) { c.Core.Sessions.LeaseMin = 2 * time.Second }})
			w.Add(sim.MachineConfig{Process: sim.Program(store(fenced))}).Start()
		}, Faults: []sim.Fault{faults.Pause(rate, faults.AnyClient), faults.Crash(rate, master)}}
	}}
}

func TestNumbers(t *testing.T)                         { counting(true).Run(t) }
func TestNumbersWithoutAFenceAreReplaced(t *testing.T) { counting(false).Expect(t, "N1") }
