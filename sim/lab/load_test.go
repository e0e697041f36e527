package lab

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim"
)

func TestShareOfLostUpdates(t *testing.T) {
	share, half := Share([]Toll{{Done: 100, Lost: 10}, {Done: 100, Lost: 30}})
	require.InDelta(t, 0.2, share, 1e-9)
	require.InDelta(t, 0.196, half, 1e-9, "the standard error of two runs, 10 and 30 %, is 10 %")
	share, half = Share([]Toll{{Done: 50, Lost: 5}, {Done: 150, Lost: 15}})
	require.InDelta(t, 0.1, share, 1e-9)
	require.InDelta(t, 0, half, 1e-9, "runs of different lengths with one share do not scatter")
	share, half = Share([]Toll{{}, {}})
	require.Zero(t, share+half)
}

func TestHoldersAtOneInstant(t *testing.T) {
	hold := func(from, to int) Hold { return Hold{From: time.Duration(from), To: time.Duration(to)} }
	require.Equal(t, 0, together(nil))
	require.Equal(t, 1, together([]Hold{hold(0, 5), hold(5, 9)}), "one ends as the next begins")
	require.Equal(t, 3, together([]Hold{hold(0, 9), hold(1, 3), hold(2, 4), hold(8, 10)}))
}

// A machine that is paused still answers probes of its connections; one that is cut off, or has no
// power, does not.
func TestReaches(t *testing.T) {
	b := newBench(Variant{Name: "none", Build: func(b *Bench) Lock { return nil }}, 1, sim.Trace{})
	defer b.world.Close()
	var n *Node
	b.Node("one", machine(), func(x *Node) { n = x })
	b.Node("other", machine(), func(*Node) {})
	see := func(at time.Duration, want bool, why string) {
		b.At(at, func() { require.Equal(t, want, n.Reaches("other"), why) })
	}
	see(time.Second, true, "nothing is wrong")
	b.At(2*time.Second, func() { b.Pause("other", 4*time.Second) })
	see(3*time.Second, true, "paused")
	b.At(5*time.Second, func() { b.Cut([]string{"other"}, []string{"one"}, 7*time.Second) })
	see(6*time.Second, false, "cut off")
	see(8*time.Second, true, "the cut is over")
	b.At(9*time.Second, func() { b.Crash("other", 2*time.Second) })
	see(10*time.Second, false, "without power")
	see(12*time.Second, true, "back")
	b.At(13*time.Second, b.world.Stop)
	b.world.Run(time.Minute)
}

func machine() (c sim.MachineConfig) { return c }
