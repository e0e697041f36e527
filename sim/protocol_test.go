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
