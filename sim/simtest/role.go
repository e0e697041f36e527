package simtest

import (
	"context"
	"fmt"
	"regexp"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/scenario"
)

// Role is one of the kinds of programs of a system, such as its writers. Client machines have roles, and keep them when
// they crash: the machines of the first role of a Program come first, from c1 on. Reports, stories, traces and pages name
// a program with its role: "c4 (program 1, janitor)". The text for World.Break can do so by scenario.NameOf.
type Role struct {
	Name     string // lower-case words
	Clients  int    // machines with this role; 0: one
	Programs int    // the most programs at a time on each; 0: as many as the seed draws for all machines, 1 to 4
	Turn     func(ctx context.Context, p scenario.Program) error
}

// turns is the workload of a Program. A Program without Roles has one, without a name and for all machines.
type turns struct{ roles []Role }

func (turns) Name() string { return "program" }
func (turns) Help() string { return "all programs run turns of a simtest.Program" }

func (w turns) Turn(ctx context.Context, p scenario.Program) {
	wait := TurnPatience
	if p.Healed() {
		wait = healedPatience
	}
	ctx, cancel := p.WithTimeout(ctx, wait)
	defer cancel()
	p.Done("turn", true, w.of(int(event.ProgramID(p.ID()).Client()-sim.FirstClient)+1).Turn(ctx, p))
}

// RoleOf makes turns a scenario.Cast.
func (w turns) RoleOf(client int) scenario.Role {
	r := w.of(client)
	return scenario.Role{Name: r.Name, Programs: r.Programs}
}

// of returns the role of a client machine, counted from 1.
func (w turns) of(client int) *Role {
	for i := range w.roles {
		if client -= w.roles[i].machines(); client <= 0 {
			return &w.roles[i]
		}
	}
	return &w.roles[len(w.roles)-1]
}

func (r *Role) machines() int { return max(1, r.Clients) }

var roleNames = regexp.MustCompile(`^[a-z][a-z0-9-]*( [a-z0-9-]+)*$`)

// checkRoles returns how many machines the roles have, and what is wrong with them.
func checkRoles(roles []Role) (machines int, err error) {
	seen := map[string]bool{}
	for i := range roles {
		r := &roles[i]
		switch {
		case !roleNames.MatchString(r.Name):
			return 0, fmt.Errorf("role %q: a name has the form %v", r.Name, roleNames)
		case seen[r.Name]:
			return 0, fmt.Errorf("role %q: there are two with this name; Clients says how many machines have it", r.Name)
		case r.Turn == nil:
			return 0, fmt.Errorf("role %q has no Turn", r.Name)
		case r.Clients < 0 || r.Programs < 0 || r.Programs > mostPrograms:
			return 0, fmt.Errorf("role %q with Clients %d and Programs %d: at least 0, and Programs at most %d", r.Name, r.Clients, r.Programs, mostPrograms)
		}
		seen[r.Name] = true
		machines += r.machines()
	}
	return machines, nil
}

// mostPrograms is how many programs a machine runs at a time, at most.
const mostPrograms = 4

// isCast reports whether an extension has a workload whose machines have roles.
func isCast(x *scenario.Extension) bool { return x.RoleOf(turns{}.Name(), 1).Name != "" }
