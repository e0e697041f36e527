package sim

import "fmt"

// machines is the machines of a world, in the order of their addresses.
type machines struct {
	replicas []*Machine // below FirstClient
	clients  []*Machine // from FirstClient on
}

// at returns the machine with this address, or nil if there is none.
func (all *machines) at(a Addr) *Machine {
	if a.IsClient() {
		if i := int(a - FirstClient); i < len(all.clients) {
			return all.clients[i]
		}
		return nil
	}
	if a == 0 || int(a) > len(all.replicas) {
		return nil
	}
	return all.replicas[a-1]
}

// every returns the replicas, followed by the clients.
func (all *machines) every() []*Machine {
	return append(append([]*Machine(nil), all.replicas...), all.clients...)
}

// place returns the address of the machine to be added and the list that it belongs to. asked is
// the address in its configuration, 0 for the next replica.
func (all *machines) place(asked Addr) (Addr, *[]*Machine) {
	list, next := &all.replicas, Addr(len(all.replicas)+1)
	if asked.IsClient() {
		list, next = &all.clients, FirstClient+Addr(len(all.clients))
	}
	if asked != 0 && asked != next {
		panic(fmt.Sprintf("sim: the next free address is %d, not %d", next, asked))
	}
	return next, list
}

// Machine returns the machine with this address, or nil if there is none.
func (w *World) Machine(a Addr) *Machine { return w.machines.at(a) }

// Replicas returns the machines below FirstClient in the order of their
// addresses. The slice belongs to the caller.
func (w *World) Replicas() []*Machine { return append([]*Machine(nil), w.machines.replicas...) }

// Clients returns the machines from FirstClient on, in order.
func (w *World) Clients() []*Machine { return append([]*Machine(nil), w.machines.clients...) }
