package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/sim"
)

// RoleOf returns the name of the role of a client machine, counted from 1; "": it has none.
func RoleOf(p *Plan, client int) string { return p.With.RoleOf(p.Workload, client).Name }

// RolesOf returns the names of the roles of the client machines that have one.
func RolesOf(p *Plan) map[sim.Addr]string {
	all := map[sim.Addr]string{}
	for i := range p.Clients {
		if name := RoleOf(p, i+1); name != "" {
			all[sim.FirstClient+sim.Addr(i)] = name
		}
	}
	return all
}

// ProgramsOn returns how many programs run at a time on a client machine, counted from 1.
func ProgramsOn(p *Plan, client int) int {
	if most := p.With.RoleOf(p.Workload, client).Programs; most > 0 {
		return min(most, p.Calls.Threads)
	}
	return p.Calls.Threads
}

// RolesInWords says which client machines have which role, such as "writer c1 and c2, reader c3"; "": none has one. It
// leaves out machines that are idle.
func RolesInWords(p *Plan) string {
	var roles []string
	machines := map[string][]string{}
	for i := range p.Clients {
		name := RoleOf(p, i+1)
		if name == "" || p.IsIdle(i+1) {
			continue
		}
		if !slices.Contains(roles, name) {
			roles = append(roles, name)
		}
		machines[name] = append(machines[name], (sim.FirstClient + sim.Addr(i)).String())
	}
	for i, name := range roles {
		all := machines[name]
		which := strings.Join(all, " and ")
		if n := len(all) - 1; n > 1 {
			which = fmt.Sprintf("%s and %s", strings.Join(all[:n], ", "), all[n])
		}
		roles[i] = name + " " + which
	}
	return strings.Join(roles, "; ")
}
