package plan

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/chubbycell/chubby/sim"
)

// Fault names one fault of a run: the n-th of its kind, from 1. Equal options and equal
// code give a fault the same name in every run.
type Fault struct {
	Kind string `json:"kind"`
	N    int    `json:"n"`
}

// String returns the name as users write it: "crash#3".
func (f Fault) String() string { return fmt.Sprintf("%s#%d", f.Kind, f.N) }

// Strike is one fault of a kind: when it strikes, and what it draws.
type Strike struct {
	Fault
	At     time.Duration `json:"at_ns"`  // true time
	Stream uint64        `json:"stream"` // the entity of the draws that it shares with others of its kind
	Draws  sim.Tape      `json:"draws"`
}

// Trick is one turn of the hostile client, a fault of the kind Hostile.
type Trick struct {
	N     int         `json:"n"`
	At    int64       `json:"at_ns"` // by the clock of its machine, since 1970
	Draws [3]sim.Tape `json:"draws"`
}

// Hostile is the kind of fault of which each turn of the hostile client is one.
const Hostile = "hostile"

// Script lists the faults of a run: all faults of a recorded run, or only those that a failure
// needs. No others are drawn. The zero Script has no faults, and a safety phase of no time.
type Script struct {
	Safety  time.Duration `json:"safety_ns"` // true time of healing
	Strikes []*Strike     `json:"strikes"`
	Tricks  []*Trick      `json:"tricks,omitempty"`
	Without []string      `json:"without,omitempty"` // standing faults of the plan that are left out (Plan.Standing)
	Idle    []int         `json:"idle,omitempty"`    // clients that do nothing, from 1

	Programs int `json:"programs,omitempty"` // of each client at most; 0: as planned
	Replicas int `json:"replicas,omitempty"` // 0: as planned

	// LinkDraws is that of sim.Config: with another number, messages and disks have other delays than in the recorded
	// run. 0: the same.
	LinkDraws uint64 `json:"link_draws,omitempty"`

	// Until ends the safety phase, and the run, if nothing has broken by then: it is for runs that
	// are to show a breach. 0: the run continues to its end.
	Until time.Duration `json:"-"`
}

// Clone returns a copy. It shares the strikes and tricks, which must not be changed.
func (s *Script) Clone() *Script {
	c := *s
	c.Strikes, c.Tricks = slices.Clone(s.Strikes), slices.Clone(s.Tricks)
	c.Without, c.Idle = slices.Clone(s.Without), slices.Clone(s.Idle)
	return &c
}

// Faults returns the names of all faults of the script: strikes, then tricks.
func (s *Script) Faults() []Fault {
	var all []Fault
	for _, x := range s.Strikes {
		all = append(all, x.Fault)
	}
	for _, x := range s.Tricks {
		all = append(all, Fault{Hostile, x.N})
	}
	return all
}

// check returns an error if a script is invalid for these options.
func (s *Script) check(o *Options) error {
	if s.Replicas < 0 || s.Replicas > MaxReplicas || s.Programs < 0 || s.Safety < 0 || s.Safety > 3*MaxDuration {
		return fmt.Errorf("the script has %d replicas, %d programs for a client, and faults for %v: that is not possible", s.Replicas, s.Programs, s.Safety)
	}
	if slices.Contains(s.Strikes, nil) || slices.Contains(s.Tricks, nil) {
		return errors.New("the script has null where a fault belongs")
	}
	for _, x := range s.Strikes {
		if err := faultNamed(x.Kind, o.With); err != nil {
			return err
		}
	}
	for _, name := range s.Without {
		if !slices.ContainsFunc(standing, func(f standingFault) bool { return f.name == name }) {
			return fmt.Errorf("the script leaves out %q, and no plan has such a fault", name)
		}
	}
	return nil
}

// standingFault is a fault of a plan that does not strike, but is in force for the whole run.
type standingFault struct {
	name string
	help string
	has  func(p *Plan) bool
	off  func(p *Plan)
}

// standing are all standing faults.
var standing = []standingFault{
	{"clock-errors", "clocks run too fast or too slow from the beginning", func(p *Plan) bool { return !p.TrueClocks }, func(p *Plan) { p.TrueClocks = true }},
	{"misfit", "a replica is configured with other leases than its cell", func(p *Plan) bool { return p.Misfit.Replica != 0 }, func(p *Plan) { p.Misfit = Misfit{} }},
	{
		"backup-failures", "calls to the places of backups fail now and then",
		func(p *Plan) bool { return p.Driver.BackupEvery > 0 && p.Backups.Fails > 0 }, func(p *Plan) { p.Backups.Fails = 0 },
	},
	{
		"late-requests", "requests to the resource outside of the cell are late now and then",
		func(p *Plan) bool { return p.Workload == Fenced && p.Fence.Most > 0 }, func(p *Plan) { p.Fence.Most = 0 },
	},
	{"aimed", "faults follow when a master has told a client to drop something from its cache", func(p *Plan) bool { return p.Caches.Aims > 0 }, func(p *Plan) { p.Caches.Aims = 0 }},
	{"absentees", "after healing, replicas or links that are not needed for a quorum may stay away", func(p *Plan) bool { return !p.Steady }, func(p *Plan) { p.Steady = true }},
}

// Standing returns the names of the faults of the plan that are in force for the whole run.
func (p *Plan) Standing() []string {
	var all []string
	for _, f := range standing {
		if f.has(p) {
			all = append(all, f.name)
		}
	}
	return all
}

// StandingHelp describes a standing fault in words, or returns "" if there is none with that name.
func StandingHelp(name string) string {
	for _, f := range standing {
		if f.name == name {
			return f.help
		}
	}
	return ""
}

// applyScript reduces a drawn plan to its script. What is left is as it was drawn.
func (p *Plan) applyScript() {
	s := p.Script
	if s == nil {
		return
	}
	for _, f := range standing {
		if slices.Contains(s.Without, f.name) {
			f.off(p)
		}
	}
	if s.Programs > 0 {
		p.Calls.Threads = min(p.Calls.Threads, s.Programs)
	}
	if s.Replicas == 0 || s.Replicas >= p.Replicas {
		return
	}
	p.Replicas = s.Replicas
	if int(p.Misfit.Replica) > p.Replicas {
		p.Misfit = Misfit{}
	}
	if int(p.Hoarder) > p.Replicas {
		p.Hoarder = 0
	}
}

// IsIdle reports whether the script says that a client does nothing. Clients count from 1.
func (p *Plan) IsIdle(client int) bool {
	return p.Script != nil && slices.Contains(p.Script.Idle, client)
}
