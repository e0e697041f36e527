package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Two cells have a replica with the same id, on different machines.
func TestAProgramCallsTwoCellsWithEqualIDs(t *testing.T) {
	w, ls := listeners(t, Config{Link: LinkConfig{Delay: Table{time.Millisecond}, Hints: million}}, 2)
	far := Replica{Cell: "far", ID: 1}
	var got []string
	var unreachable []Replica
	w.Add(MachineConfig{Addr: FirstClient, Process: Program(func(rt *Runtime) {
		rt.Receive(func(from Replica, msg []byte) { got = append(got, from.String()+": "+string(msg)) })
		rt.OnUnreachable(func(r Replica) { unreachable = append(unreachable, r) })
		rt.Send(far, []byte("the machine is not known"))
		rt.SetCell("far", map[uint32]Addr{1: 2})
		rt.Send(Replica{ID: 1}, []byte("to near"))
		rt.Send(far, []byte("to far"))
		rt.Send(Replica{Cell: "far", ID: 2}, []byte("no such replica"))
	})}).Start()
	w.RunFor(time.Second)
	require.Equal(t, []string{"to near"}, ls[0].got)
	require.Equal(t, []string{"to far"}, ls[1].got)
	for _, l := range ls {
		l.env.Send(FirstClient, []byte("answer"))
	}
	w.RunFor(time.Second)
	require.ElementsMatch(t, []string{"replica 1: answer", "replica 1 of cell far: answer"}, got)
	w.Machine(2).Kill()
	w.RunFor(time.Second)
	require.Equal(t, []Replica{far}, unreachable)
}
