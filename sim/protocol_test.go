package sim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim"
)

// The correct protocol of the example decides on every node: it does not pass by doing nothing.
func TestSynodDecides(t *testing.T) {
	chosen := map[sim.Addr]string{}
	w := sim.New(sim.Config{Seed: 1, Link: sim.LinkConfig{Loss: 100_000}})
	defer w.Close()
	g := sim.NewGroup(w, sim.GroupConfig{
		Replicas: 5, New: func(c sim.NodeConfig) sim.Node { return newSynod(c) },
		OnChosen: func(node sim.Addr, c sim.Chosen) { chosen[node] = c.Value },
	})
	w.Run(time.Minute)
	require.Nil(t, w.Failure())
	require.Equal(t, 1, g.Agreement().Slots())
	require.Len(t, chosen, 5)
}

// alone is the protocol of one replica. It records each proposal as JSON, and chooses what the JSON says.
type alone struct {
	sim.Outbox
	chosen uint64
}

func (*alone) Step(time.Time, sim.Addr, []byte) {}
func (*alone) Advance(time.Time)                {}
func (a *alone) Propose(_ time.Time, value string) error {
	record := note{Kind: "accepted", Val: value}.bytes()
	a.Record(record, nil, 0)
	a.chosen++
	a.Choose(a.chosen, decode(record).Val)
	return nil
}

// JSON has no bytes that are no text: in place of each it has another character.
func TestCommandsOfAGroupSurviveJSON(t *testing.T) {
	var chosen []string
	u := &user{}
	r := sim.Scenario{
		Setup: func(w *sim.World) {
			u.group = sim.NewGroup(w, sim.GroupConfig{
				Replicas: 1, New: func(c sim.NodeConfig) sim.Node { return &alone{Outbox: sim.NewOutbox(c)} },
				State:    func() sim.StateMachine { return &stack{} },
				OnChosen: func(_ sim.Addr, c sim.Chosen) { chosen = append(chosen, c.Value) },
			})
		},
		Workloads: []sim.Workload{u}, Liveness: time.Minute,
	}.Run(sim.Config{Seed: 1, Link: sim.LinkConfig{Delay: sim.Table{time.Millisecond}}})
	require.Nil(t, r.Failure)
	require.Equal(t, []string{"ok", "ok", "b", "ok", "c", "a", "empty"}, u.log)
	require.Equal(t, "c1.1#1 push a", chosen[0])
}

// gap is a protocol that numbers its records wrongly.
type gap struct{ sim.Outbox }

func (g *gap) Step(time.Time, sim.Addr, []byte) {}
func (g *gap) Advance(time.Time)                {}
func (g *gap) TakeOutput() sim.Output {
	out := g.Outbox.TakeOutput()
	if out.First > 0 {
		out.First++
	}
	return out
}

func TestRecordsWithoutNumbersAreRefused(t *testing.T) {
	w := sim.New(sim.Config{})
	defer w.Close()
	sim.NewGroup(w, sim.GroupConfig{Replicas: 1, New: func(c sim.NodeConfig) sim.Node {
		g := &gap{sim.NewOutbox(c)}
		g.Record([]byte("r"), nil, 1)
		return g
	}})
	require.Equal(t, sim.Failed, w.Run(time.Second))
	require.Contains(t, w.Failure().Text, "records from 2 on, but the next free number is 1")
}

// spinner asks for a wake-up in the past, again and again.
type spinner struct{ env *sim.Env }

func (p *spinner) Start(env *sim.Env)                  { p.env = env; env.WakeAt(env.Now()) }
func (p *spinner) Receive(time.Time, sim.Addr, []byte) {}
func (p *spinner) Wake(now time.Time)                  { p.env.WakeAt(now.Add(-time.Second)) }

func TestARunInWhichNoTimePassesEnds(t *testing.T) {
	w := sim.New(sim.Config{})
	defer w.Close()
	w.Add(sim.MachineConfig{Process: func() sim.Process { return &spinner{} }}).Start()
	require.Equal(t, sim.Failed, w.Run(time.Hour))
	require.Contains(t, w.Failure().Text, "at one instant: a timer of n1 rings again and again; a wake-up in the past stays in force until WakeAt")
	require.Equal(t, "L1", w.Failure().ID)
	require.Equal(t, sim.Addr(1), w.Failure().Machine)
	require.Zero(t, w.Now())
}
