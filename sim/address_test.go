package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Two cells have a replica with the same id, on machines with other ids; a third machine is in no cell.
func TestAProgramCallsTwoCellsWithEqualIDsAndAServer(t *testing.T) {
	w, ls := listeners(t, Config{Link: LinkConfig{Delay: Table{time.Millisecond}, Hints: million}}, 3)
	near, far := Replica{ID: 1}, Replica{Cell: "far", ID: 1}
	var got, own []string
	var unreachable, ownUnreachable []Replica
	w.Add(MachineConfig{Addr: FirstClient, Process: Program(func(rt *Runtime) {
		rt.Receive(func(from Replica, msg []byte) { own = append(own, from.String()+": "+string(msg)) })
		rt.OnUnreachable(func(r Replica) { ownUnreachable = append(ownUnreachable, r) })
		c := rt.ForClient(map[Replica]Addr{near: 2, far: 3})
		c.Receive(func(from Replica, msg []byte) { got = append(got, from.String()+": "+string(msg)) })
		c.OnUnreachable(func(r Replica) { unreachable = append(unreachable, r) })
		c.Send(near, []byte("to near"))
		c.Send(far, []byte("to far"))
		c.Send(Replica{Cell: "far", ID: 2}, []byte("no such replica"))
		rt.Send(Replica{ID: 1}, []byte("to a server"))
		rt.Send(far, []byte("no Client sends this"))
	})}).Start()
	w.RunFor(time.Second)
	require.Equal(t, []string{"to a server"}, ls[0].got)
	require.Equal(t, []string{"to near"}, ls[1].got)
	require.Equal(t, []string{"to far"}, ls[2].got)
	for _, l := range ls {
		l.env.Send(FirstClient, []byte("answer"))
	}
	w.RunFor(time.Second)
	require.ElementsMatch(t, []string{"replica 1: answer", "replica 1 of cell far: answer"}, got)
	require.Equal(t, []string{"replica 1: answer"}, own)
	w.Machine(3).Kill()
	w.Machine(1).Kill()
	w.RunFor(time.Second)
	require.Equal(t, []Replica{far}, unreachable)
	require.Equal(t, []Replica{{ID: 1}}, ownUnreachable)
}

// A program whose session is over makes another Client: that one hears from the replicas then.
func TestALaterClientHearsFromTheMachineInstead(t *testing.T) {
	w, ls := listeners(t, Config{}, 1)
	var first, second int
	w.Add(MachineConfig{Addr: FirstClient, Process: Program(func(rt *Runtime) {
		silent := rt.ForClient(map[Replica]Addr{{ID: 7}: 1})
		silent.Receive(func(Replica, []byte) { first++ })
		rt.ForClient(map[Replica]Addr{{ID: 7}: 1}).Receive(func(Replica, []byte) { second++ })
		silent.Send(Replica{ID: 7}, []byte("late"))
	})}).Start()
	w.RunFor(time.Second)
	ls[0].env.Send(FirstClient, []byte("answer"))
	w.RunFor(time.Second)
	require.Equal(t, []string{"late"}, ls[0].got)
	require.Zero(t, first)
	require.Equal(t, 1, second)
}
