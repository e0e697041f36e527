package scenario

import (
	"fmt"

	"github.com/chubbycell/chubby/sim/event"
)

// Cast is a Workload whose client machines have roles, such as writers and readers. Reports, stories, traces and pages
// name them.
type Cast interface {
	Workload
	// RoleOf returns the role of a client machine: client 1 is c1. All calls for one client return the same.
	RoleOf(client int) Role
}

// Role is what the programs of a client machine are for.
type Role struct {
	Name     string // words for people; "": none
	Programs int    // the most programs at a time on the machine; 0: as many as the seed draws for all, 1 to 4
}

// RoleOf returns the role of a client machine, counted from 1, in a run of a workload. It is the zero Role unless the
// workload is a Cast of the extension, which may be nil.
func (x *Extension) RoleOf(workload string, client int) Role {
	if x == nil {
		return Role{}
	}
	for _, w := range x.Workloads {
		if cast, ok := w.(Cast); ok && w.Name() == workload {
			return cast.RoleOf(client)
		}
	}
	return Role{}
}

// NameOf names a program for people, with its role if it has one: "program 2 of c25 (writer)". Stories recognize this
// name in the text of a break.
func NameOf(p Program) string {
	name := event.ProgramID(p.ID()).String()
	if p.Role() != "" {
		return fmt.Sprintf("%s (%s)", name, p.Role())
	}
	return name
}
