package sim

import (
	"fmt"
	"strings"
	"time"
)

// Fault does something to a world repeatedly. Run is a blocking program in true time. It lasts as
// long as Stage.Sleep or Stage.Next returns true, and must undo what it began before it returns.
type Fault interface {
	Name() string
	Run(s *Stage)
}

// Workload is what clients do: one blocking program for each. A program ends when it has done its
// work. A client that crashed runs its program again from the beginning, unless the program had
// ended.
type Workload interface {
	Name() string
	Clients() int
	Program(client int) func(rt *Runtime)
}

// Property is something that must hold. Check returns an error that says why it does not. Check is
// called at intervals and at the end of each phase. A Property that observes events as they happen
// may also call World.Break itself. A Property that judges a whole run is an Ender, too.
type Property interface {
	ID() string
	Check(w *World) error
}

// Ender is a Property that also judges the run as a whole. End is called once, after the last Check
// and in the order of Scenario.Properties, if nothing broke and all programs have ended: what they
// recorded is then complete. If L1 ends no run because JudgeOnly named another property, End is
// called although programs have not ended: their last calls have no outcome then. Its error breaks
// the property, as that of Check does.
type Ender interface {
	Property
	End(w *World) error
}

// Scenario is a run in two phases: under faults, then healed. In the second phase all programs of
// the workloads must end (property L1).
type Scenario struct {
	Setup      func(w *World) // adds machines to the empty world
	Faults     []Fault
	Workloads  []Workload
	Properties []Property
	Safety     time.Duration // duration of the phase with faults
	Liveness   time.Duration // time that the programs then have to end
	Every      time.Duration // interval between checks of properties; 0: 100 ms

	// Record, if not nil, receives the strikes of faults that use Stage.Next. It does not change
	// the run.
	Record *[]Strike
	// Script, if not nil, holds the strikes of such faults, in place of those that they would draw.
	// They are all or some strikes of a recorded run of the same seed, in their order. Faults that
	// use only Sleep run as usual.
	Script *[]Strike
}

// Report is the outcome of a run.
type Report struct {
	Seed      uint64
	Hash      uint64
	Events    uint64
	Simulated time.Duration
	Failure   *Failure   // nil: everything held
	Noted     []*Failure // what did not end the run; see World.Noted
	Counters  []Counter
	Measures  []Measured // see Measure
}

// Run makes a world from cfg and runs the scenario in it.
func (s Scenario) Run(cfg Config) Report {
	w := New(cfg)
	defer w.Close()
	scenarioRun := &scenarioRun{s: s, w: w, of: map[Addr]string{}}
	if s.Setup != nil {
		s.Setup(w)
	}
	for _, l := range s.Workloads {
		scenarioRun.addClients(l)
	}
	scenarioRun.run()
	return Report{
		Seed: cfg.Seed, Hash: w.Hash(), Events: w.Steps(), Simulated: w.Now(), Failure: w.Failure(), Noted: w.Noted(), Counters: w.Counters(), Measures: Measures(w),
	}
}

// scenarioRun is one run of a Scenario.
type scenarioRun struct {
	s      Scenario
	w      *World
	over   bool // the faults are over
	stages []*Stage
	left   int             // programs that have not ended yet
	of     map[Addr]string // the workload of each client
}

func (h *scenarioRun) addClients(l Workload) {
	for i := range l.Clients() {
		h.left++
		ended := false
		addr := FirstClient + Addr(len(h.w.machines.clients))
		h.of[addr] = l.Name()
		h.w.Add(MachineConfig{Addr: addr, Process: Program(func(rt *Runtime) {
			if ended {
				return
			}
			l.Program(i)(rt)
			ended = true
			h.left--
		})}).Start()
	}
}

func (h *scenarioRun) run() {
	for i, f := range h.s.Faults {
		h.stage(f, uint64(i))
	}
	h.checkRegularly()
	if h.w.Run(h.s.Safety) == Failed || !h.check() {
		return
	}
	h.heal()
	limit := h.w.Now() + h.s.Liveness
	for h.left > 0 && h.w.Now() < limit {
		if h.w.RunFor(min(100*time.Millisecond, limit-h.w.Now())) == Failed {
			return
		}
	}
	if h.check() && h.left > 0 {
		h.w.Break("L1", "%d client programs have not ended %v after healing%s", h.left, h.s.Liveness, h.unended())
	}
	h.end()
}

// enders is the key of what AtEnd was given.
type enders struct{}

// AtEnd makes a Scenario call judge when its run is over and nothing has broken: after the Enders
// among its properties, and under the same terms. It is for checkers that come with what Setup adds
// to the world. judge reports by World.Break. A world that no Scenario runs calls nothing.
func AtEnd(w *World, judge func()) {
	all := Shared(w, enders{}, func() *[]func() { return new([]func()) })
	*all = append(*all, judge)
}

// end calls End of the properties, because the run is over, unless something broke. Programs that
// have not ended are L1's concern: if L1 is not judged, skipping End would leave nothing judged.
func (h *scenarioRun) end() {
	for _, p := range h.s.Properties {
		if e, ok := p.(Ender); ok && h.w.Failure() == nil {
			if err := e.End(h.w); err != nil {
				h.w.Break(e.ID(), "%v", err)
			}
		}
	}
	for _, judge := range *Shared(h.w, enders{}, func() *[]func() { return new([]func()) }) {
		if h.w.Failure() == nil {
			judge()
		}
	}
}

// mostUnended is how many programs a report names.
const mostUnended = 8

// unended says of which workloads unended programs are, and where they wait.
func (h *scenarioRun) unended() string {
	var all []string
	for _, m := range h.w.machines.clients {
		for _, b := range h.w.Blocked(m.Addr()) {
			if b.Name == mainName && len(all) < mostUnended {
				all = append(all, "workload "+h.of[m.Addr()]+", "+b.String())
			}
		}
	}
	if len(all) == 0 {
		return ""
	}
	if more := h.left - len(all); more > 0 {
		all = append(all, fmt.Sprintf("%d more", more))
	}
	return ": " + strings.Join(all, "; ")
}

// checkRegularly checks the properties at intervals until the run ends.
func (h *scenarioRun) checkRegularly() {
	every := h.s.Every
	if every == 0 {
		every = 100 * time.Millisecond
	}
	h.w.After(every, func() {
		if h.check() {
			h.checkRegularly()
		}
	})
}

func (h *scenarioRun) check() bool {
	for _, p := range h.s.Properties {
		if err := p.Check(h.w); err != nil {
			h.w.Break(p.ID(), "%v", err)
		}
	}
	return h.w.Failure() == nil
}

// heal ends the faults: their programs return, and their remaining effects are undone.
func (h *scenarioRun) heal() {
	h.over = true
	for _, s := range h.stages {
		if !s.done {
			h.w.coroutines.wake(s.c)
		}
	}
	h.w.RunFor(0)
	h.w.Heal()
}

func (h *scenarioRun) stage(f Fault, i uint64) {
	own := h.w.Draw("fault."+f.Name(), i)
	s := &Stage{h: h, name: f.Name(), i: int(i), own: own, draw: own}
	h.stages = append(h.stages, s)
	s.c = h.w.coroutines.spawn(nil, "fault "+f.Name(), func() {
		f.Run(s)
		s.done = true
	})
}

// Stage is the environment of a Fault.
type Stage struct {
	h    *scenarioRun
	c    *coroutine
	name string
	i    int   // place of the fault in Scenario.Faults
	own  *Draw // of the fault
	draw *Draw // own, or a tape of it
	done bool

	struck int // strikes so far, unless a script is played
	played int // strikes of the script that are over
}

// World returns the world in which the fault works.
func (s *Stage) World() *World { return s.h.w }

// Draw returns the fault's own draws.
func (s *Stage) Draw() *Draw { return s.draw }

// Sleep lets d of true time pass. When the faults are over, it returns false at once: the fault
// must then undo what it began, and return.
func (s *Stage) Sleep(d time.Duration) bool {
	if s.h.over {
		return false
	}
	w := s.h.w
	if c := w.coroutines.self("Sleep"); c != s.c {
		panic("sim: a Stage is used by another coroutine than its fault's")
	}
	w.timeline.schedule(int64(d), &w.timeline.ties, (*resumption)(s.c), s.c.parks, nil)
	s.c.park()
	return !s.h.over
}

// Replica draws one of the replicas.
func (s *Stage) Replica() *Machine {
	if len(s.h.w.machines.replicas) == 0 {
		panic("sim: a fault needs a replica, and there is none")
	}
	return s.h.w.machines.replicas[s.draw.Int(len(s.h.w.machines.replicas))]
}

// Heal undoes what faults do: links work, machines run at full speed, machines that are down start,
// and disks neither stall nor fail. The rates of clocks and the noise of links stay.
func (w *World) Heal() {
	w.net.Heal()
	for _, m := range w.machines.every() {
		m.heal()
	}
}

func (m *Machine) heal() {
	m.intake.cost, m.intake.readPause, m.point = 0, 0, ""
	m.disks.each((*Disk).heal)
	for m.intake.pauses > 0 {
		m.Resume()
	}
	m.Start()
}

// String describes the outcome of a run in one line.
func (r Report) String() string {
	verdict := "ok"
	if r.Failure != nil {
		verdict = r.Failure.Error()
	}
	return fmt.Sprintf("seed %d hash %016x: %v, %d events: %s", r.Seed, r.Hash, r.Simulated, r.Events, verdict)
}
