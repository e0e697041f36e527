package simtest_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/experiment"
	"github.com/chubbycell/chubby/sim/simtest"
)

// voter is a process that votes for what it is asked.
type voter struct{ env *sim.Env }

func (v *voter) Start(env *sim.Env)                             { v.env = env }
func (v *voter) Receive(_ time.Time, from sim.Addr, msg []byte) { v.env.Send(from, msg) }
func (v *voter) Wake(time.Time)                                 {}

// proposer is a client that proposes twenty values, one after the other, to three voters. It asks again after a timeout
// the voters that have not answered, until two of them have.
type proposer struct{ timeout time.Duration }

func (proposer) Name() string { return "proposer" }
func (proposer) Clients() int { return 1 }
func (p proposer) Program(int) func(rt *sim.Runtime) {
	return func(rt *sim.Runtime) {
		for value := range 20 {
			votes, decided := map[sim.Replica]bool{}, rt.NewSignal()
			rt.Receive(func(from sim.Replica, msg []byte) {
				if votes[from] = votes[from] || int(msg[0]) == value; len(votes) == 2 {
					decided.Fire()
				}
			})
			for began := rt.Now(); ; {
				for id := uint32(1); id <= 3; id++ {
					if to := (sim.Replica{ID: id}); !votes[to] {
						rt.Send(to, []byte{byte(value)})
					}
				}
				ctx, cancel := rt.WithTimeout(context.Background(), p.timeout)
				_, err := rt.Wait(ctx, decided)
				if cancel(); err == nil {
					sim.Measure(rt.Env().World(), "decide", rt.Now().Sub(began).Seconds())
					break
				}
				rt.Env().Count("timeouts")
			}
		}
	}
}

// voting is a world with a bad network: a fifth of all messages is lost.
func voting(timeout time.Duration) simtest.World {
	link := sim.LinkConfig{Delay: sim.Table{time.Millisecond, 4 * time.Millisecond}, Loss: 200_000}
	return simtest.World{Config: sim.Config{Link: link}, Scenario: func(uint64) sim.Scenario {
		return sim.Scenario{Workloads: []sim.Workload{proposer{timeout}}, Safety: time.Second, Liveness: time.Minute, Setup: func(w *sim.World) {
			for range 3 {
				w.Add(sim.MachineConfig{Process: func() sim.Process { return &voter{} }}).Start()
			}
		}}
	}}
}

// Two timeouts of one protocol on the same seeds: which decides sooner, and what does it cost?
func TestAShortTimeoutDecidesSoonerAndSendsMore(t *testing.T) {
	c := simtest.Compare(t,
		simtest.Side{Name: "timeout 5 ms", World: voting(5 * time.Millisecond)},
		simtest.Side{Name: "timeout 50 ms", World: voting(50 * time.Millisecond)},
		experiment.Column{Name: "decide p90", Of: "decide", Percent: 90, Form: experiment.Seconds},
		experiment.Column{Name: "decide mean", Of: "decide", Form: experiment.Seconds},
		experiment.Column{Name: "messages", Of: "net.sent"},
		experiment.Column{Name: "timeouts", Of: "timeouts"},
	)
	slower := c.Column("decide mean")
	require.True(t, slower.Differs && slower.Difference.Value > 0)
	fewer := c.Column("messages")
	require.True(t, fewer.Differs && fewer.Difference.Value < 0)
}

// More than two values of a parameter are a grid: in what share of seeds does a decision take long?
func TestLongDecisionsByTimeout(t *testing.T) {
	e := experiment.Experiment{
		Name: "timeouts", Event: "seeds in which a decision took more than 30 ms", Axis: "timeout in ms",
		Judge: func(r *cell.Result) experiment.Verdict {
			switch {
			case r.Failed():
				return experiment.Void
			case slices.Max(r.Measured("decide")) > 0.03:
				return experiment.Hit
			}
			return experiment.Miss
		},
		Waits: experiment.WaitsOf("decide"), Wait: "time to a decision",
		Grid: []experiment.Place{{Series: "voting", X: 5}, {Series: "voting", X: 15}, {Series: "voting", X: 50}},
	}
	points := simtest.Sweep(t, e, func(p experiment.Place) simtest.World {
		return voting(time.Duration(p.X) * time.Millisecond)
	}).Points()
	require.Less(t, points[0].Share, points[2].Share)
	require.Less(t, points[0].Waits.P90.Value, points[2].Waits.P90.Value)
}
