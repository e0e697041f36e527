package sim

import "github.com/chubbycell/chubby/client"

// Replica is client.Replica: the address of a replica as a program gives it, by cell and id. Without
// a cell, the id is the Addr of a machine.
type Replica = client.Replica

// SetCell says on which machines the replicas of another cell run, by their ids there. Without it,
// messages to that cell are lost. The ids may be those of other machines, too. Call it before the
// program sends to that cell.
func (rt *Runtime) SetCell(name string, replicas map[uint32]Addr) {
	if rt.machines == nil {
		rt.machines, rt.replicas = map[Replica]Addr{}, map[Addr]Replica{}
	}
	for id, a := range replicas {
		rt.machines[Replica{Cell: name, ID: id}] = a
		rt.replicas[a] = Replica{Cell: name, ID: id}
	}
}

// machineOf returns the machine of a replica; ok is false if no machine is known for its cell.
func (rt *Runtime) machineOf(r Replica) (a Addr, ok bool) {
	if r.Cell == "" {
		return Addr(r.ID), true
	}
	a, ok = rt.machines[r]
	return a, ok
}

// replicaOf returns the address by which the program knows a machine.
func (rt *Runtime) replicaOf(a Addr) Replica {
	if r, ok := rt.replicas[a]; ok {
		return r
	}
	return Replica{ID: uint32(a)}
}
