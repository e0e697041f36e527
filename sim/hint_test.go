package sim

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// caller is a listener whose transport keeps connections. It notes when it gets a hint that one
// broke.
type caller struct {
	listener
	broken []time.Duration
}

func (c *caller) OnUnreachable(_ time.Time, to Addr) {
	if to == 1 {
		c.broken = append(c.broken, c.env.World().Now())
	}
}

// connected returns a world, one second old, in which a caller has sent to a listener.
func connected(t *testing.T, hints uint32) (w *World, server *Machine, c *caller) {
	w = New(Config{Seed: 1, Link: LinkConfig{Delay: Table{time.Millisecond}, Hints: hints}})
	t.Cleanup(w.Close)
	server = w.Add(MachineConfig{Process: func() Process { return &listener{} }})
	server.Start()
	c = &caller{}
	w.Add(MachineConfig{Addr: FirstClient, Process: func() Process { return c }}).Start()
	w.RunFor(time.Millisecond)
	c.env.Send(1, []byte("a"))
	w.RunFor(time.Second - time.Millisecond)
	require.Empty(t, c.broken)
	return w, server, c
}

func TestAClientHearsThatAProcessEnds(t *testing.T) {
	for name, end := range map[string]func(m *Machine){
		"killed": (*Machine).Kill,
		"failed": func(m *Machine) { m.env.Fail(errors.New("disk")) },
		"exits":  func(m *Machine) { m.env.Exit() },
		"stops":  (*Machine).Stop,
	} {
		w, server, c := connected(t, million)
		end(server)
		w.RunFor(time.Minute)
		require.Equal(t, []time.Duration{time.Second + time.Millisecond}, c.broken, name)
	}
}

func TestAMachineWithoutPowerSaysNothing(t *testing.T) {
	w, server, c := connected(t, million)
	server.Crash()
	c.env.Send(1, []byte("b"))
	w.RunFor(time.Minute)
	require.Empty(t, c.broken)
	server.Start()
	server.Kill()
	w.RunFor(time.Minute)
	require.Empty(t, c.broken, "nothing was sent to this life")
	c.env.Send(1, []byte("c"))
	w.RunFor(time.Minute)
	require.Len(t, c.broken, 1, "the kernel is there, and refuses")
}

func TestAConnectionIsRefusedWhereNoProcessIs(t *testing.T) {
	w, server, c := connected(t, million)
	server.Kill()
	w.RunFor(time.Second)
	c.broken = nil
	for range 2 {
		c.env.Send(1, []byte("b"))
		w.RunFor(2 * time.Millisecond)
	}
	require.Equal(t, []time.Duration{2*time.Second + 2*time.Millisecond, 2*time.Second + 4*time.Millisecond}, c.broken)
}

func TestABrokenConnectionIsNoBrokenLink(t *testing.T) {
	w, _, c := connected(t, million)
	w.Net().Link(FirstClient, 1).Break()
	w.RunFor(time.Second)
	require.Len(t, c.broken, 1)
	require.Equal(t, uint64(1), w.net.hints)
	require.Zero(t, w.net.lost)
}

func TestAHintMayBeLost(t *testing.T) {
	for name, lose := range map[string]func(w *World, m *Machine){
		"the way back is cut":     func(w *World, _ *Machine) { w.Net().Link(1, FirstClient).Cut() },
		"the client starts again": func(w *World, _ *Machine) { w.Machine(FirstClient).Kill(); w.Machine(FirstClient).Start() },
	} {
		w, server, c := connected(t, million)
		lose(w, server)
		server.Kill()
		w.RunFor(time.Minute)
		require.Empty(t, c.broken, name)
	}
	w, server, c := connected(t, 0)
	server.Kill()
	w.RunFor(time.Minute)
	require.Empty(t, c.broken, "this network gives no hints")
}

// A program gets hints through its Runtime.
func TestARuntimePassesHintsOn(t *testing.T) {
	w := New(Config{Link: LinkConfig{Delay: Table{time.Millisecond}, Hints: million}})
	t.Cleanup(w.Close)
	server := w.Add(MachineConfig{Process: func() Process { return &listener{} }})
	server.Start()
	var heard []Replica
	w.Add(MachineConfig{Addr: FirstClient, Process: Program(func(rt *Runtime) {
		rt.OnUnreachable(func(replica Replica) { heard = append(heard, replica) })
		rt.Send(Replica{ID: 1}, []byte("a"))
	})}).Start()
	w.RunFor(time.Second)
	server.Kill()
	w.RunFor(time.Second)
	require.Equal(t, []Replica{{ID: 1}}, heard)
}
