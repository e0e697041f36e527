package tour

import (
	"context"
	"slices"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/scenario"
)

// Question is what a reader should answer before looking.
type Question struct{ Ask, Answer string }

// Scene is one stop of the tour.
type Scene struct {
	Name, Title string
	Questions   [3]Question
	Read        []string // files of the source tree to read next

	seed    uint64
	clients int
	length  time.Duration
	tune    []string
	grant   time.Duration  // of leases of masters, where tune does not set it; below 0: there are none
	faults  []*plan.Strike // beside what script does
	// parts makes what plays in one run; the parts share what they keep in variables.
	parts func() (script func(scenario.Stage), program func(i int, a actor))
	tells []tell
}

// tell is a sort of moment that gets a line.
type tell struct {
	kind string
	who  sim.Addr // 0: of any machine
	text string   // what it contains, a regular expression
	most int      // lines at most; 0: one
	from time.Duration
}

// All are the scenes in the order of the tour.
func All() []Scene {
	return []Scene{duel(), lostVote(), deposed(), slowClock(), jeopardy(), staleSequencer(), torn(), laggard(), invalidation()}
}

// Named is the scene of a name.
func Named(name string) (Scene, bool) {
	all := All()
	i := slices.IndexFunc(all, func(s Scene) bool { return s.Name == name })
	if i < 0 {
		return Scene{}, false
	}
	return all[i], true
}

// name is that of the fault and of the workload that play a scene.
const name = "tour"

// Options are the run of the scene: any part of the simulator that takes them makes the same run. They
// are good for one run, since the parts of a scene keep what they know of it.
func (s *Scene) Options() plan.Options {
	script, program := s.parts()
	with := &scenario.Extension{Faults: []scenario.Fault{strike{script}}, Workloads: []scenario.Workload{work{program}}}
	strikes := append([]*plan.Strike{{Fault: plan.Fault{Kind: name, N: 1}}}, s.faults...)
	return plan.Options{
		Seed: s.seed, Replicas: 3, Clients: s.clients, Duration: s.length, Faults: []string{}, Workload: name, Steady: true,
		Lease: plan.LeaseOptions{Rho: rho, Grant: s.grant}, Tune: s.tune, With: with,
		Script: &plan.Script{
			Safety: s.length, Until: s.length, Strikes: strikes, Programs: 1,
			Without: []string{"clock-errors", "misfit", "backup-failures", "late-requests", "aimed", "absentees"},
		},
	}
}

// rho is what replicas take clocks for: 10 %, so that it is seen.
const rho = 100_000

// strike plays the script of a scene.
type strike struct{ script func(scenario.Stage) }

func (strike) Name() string              { return name }
func (strike) Help() string              { return "what the scene does" }
func (f strike) Strike(s scenario.Stage) { f.script(s) }

// work plays the programs of a scene: each in its first turn.
type work struct{ program func(i int, a actor) }

func (work) Name() string { return name }
func (work) Help() string { return "what programs of the scene do" }

func (w work) Turn(ctx context.Context, p scenario.Program) {
	if p.State() == nil {
		p.SetState(true)
		a := actor{p, ctx}
		if p.Client().Ready(ctx) == nil {
			w.program(int(a.addr()-sim.FirstClient), a)
		}
	}
	_ = p.Sleep(ctx, time.Second) // its error is that the program is over
}
