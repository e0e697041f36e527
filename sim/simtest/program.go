package simtest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/runner"
	"github.com/chubbycell/chubby/sim/scenario"
)

// Program is the short form of Options for a program that uses the cell. All client machines of all
// seeds run it, and it reports with World.Break what must never happen. Its methods Run, Expect,
// Verify and Replay are the functions with these names, for the program.
type Program struct {
	// Turn makes one turn of a program: some calls that belong together. Programs make turns until
	// the run ends, up to four programs to a machine, which share its session. The error of Turn is
	// reported as the outcome of a contended call named "turn"; report other calls with Done. ctx
	// ends TurnPatience after the turn began, by the program's clock. Once the faults are over
	// (Healed), ctx ends after a minute, and then L1 breaks.
	Turn func(ctx context.Context, p scenario.Program) error

	// Roles are in place of Turn, for a system of several kinds of programs. Options.Clients is then the sum of their
	// machines, and stays 0.
	Roles []Role

	Options // except Workload, which is the program; With may add faults and properties, but no workload
}

// TurnPatience is how long a turn of a Program may take while there are faults.
const TurnPatience = 2 * time.Second

// healedPatience is how long L1 lets a call take.
const healedPatience = time.Minute

// Run is the function Run, for the program.
func (x Program) Run(t testing.TB) runner.Totals {
	t.Helper()
	return Run(t, x.options(t))
}

// Expect is the function Expect, for the program.
func (x Program) Expect(t testing.TB, property string) Found {
	t.Helper()
	return Expect(t, x.options(t), property)
}

// Verify is the function Verify, for the program.
func (x Program) Verify(t testing.TB) {
	t.Helper()
	Verify(t, x.options(t))
}

// Replay is the function Replay, for a case of the program (shrunk.json, which Run writes with
// -sim.out). Of the Options only With and Judge matter: the case has the others. Judge must name the
// property that it named when the case was written, and the Roles must have as many machines as then.
func (x Program) Replay(t testing.TB, file string) {
	t.Helper()
	o := x.options(t)
	replay(t, file, o.With, o.Clients)
}

func (x Program) options(t testing.TB) Options {
	t.Helper()
	o := x.Options
	roles := x.Roles
	switch machines, err := checkRoles(roles); {
	case err != nil:
		t.Fatalf("simtest: %v", err)
	case x.Turn == nil && roles == nil:
		t.Fatalf("simtest: the Program has no Turn")
	case roles == nil:
		roles = []Role{{Turn: x.Turn}}
	case x.Turn != nil:
		t.Fatalf("simtest: the Program has Turn and Roles: each of the Roles has a Turn of its own")
	case o.Clients != 0:
		t.Fatalf("simtest: a Program with Roles has as many client machines as they say, %d: leave Options.Clients 0", machines)
	default:
		o.Clients = machines
	}
	var with scenario.Extension
	if o.With != nil {
		with = *o.With
	}
	if o.Workload != "" || len(with.Workloads) > 0 {
		t.Fatalf("simtest: a Program is the workload of its seeds; Options with others are for Run")
	}
	if cell.CheckJudge(o.Judge, &with) != nil && !isOfCell(o.Judge) { // a name of the program's own, see World.Break
		o.isReported = true
		with.Properties = append(slices.Clone(with.Properties), scenario.Property{
			ID: o.Judge, Help: "what the program reports by World.Break", New: func() scenario.Checker { return silent{} },
		})
	}
	w := turns{roles}
	with.Workloads, o.With, o.Workload = []scenario.Workload{w}, &with, w.Name()
	return o
}

// replayer names what replays a case of these options.
func (o *Options) replayer() string {
	if o.With != nil {
		for _, w := range o.With.Workloads {
			if _, ok := w.(turns); ok {
				return "Program.Replay"
			}
		}
	}
	return "simtest.Replay"
}

// isOfCell reports whether a name is one of the simulator's own.
func isOfCell(name string) bool {
	return slices.ContainsFunc(cell.Properties(), func(p cell.Property) bool { return p.ID == name })
}

// silent is the checker of a property that the program itself judges.
type silent struct{}

func (silent) On(time.Duration, event.Event) error { return nil }
func (silent) End() error                          { return nil }
