package plan

import "github.com/chubbycell/chubby/sim"

// Other is a machine of a cell's world that is neither a replica nor one of the clients.
type Other struct {
	Addr sim.Addr
	What string // what runs on it, in a few words
}

// OthersOf returns the machines of a plan that follow the clients, in the order of their addresses.
func OthersOf(p *Plan) (all []Other) {
	add := func(is bool, what string) {
		if is {
			all = append(all, Other{sim.FirstClient + sim.Addr(p.Clients+len(all)), what})
		}
	}
	add(p.Workload == Fenced, "the server outside of the cell, which checks sequencers")
	add(p.Hostile.Gap > 0, "the hostile client, which keeps to no protocol")
	add(p.Caches.Deaf > 0, "the deaf client, which never says that it dropped what it had cached")
	return all
}
