package model

import (
	"strconv"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
)

// principals caches the names of the first clients: each message asks for one.
var principals = func() (names [64]api.Principal) {
	for i := range names {
		names[i] = named(sim.FirstClient + sim.Addr(i))
	}
	return names
}()

// PrincipalOn returns the principal of the client on a machine.
func PrincipalOn(a sim.Addr) api.Principal {
	if i := a - sim.FirstClient; int(i) < len(principals) {
		return principals[i]
	}
	return named(a)
}

func named(a sim.Addr) api.Principal {
	return api.Principal("client-" + strconv.Itoa(int(a-sim.FirstClient+1)))
}
