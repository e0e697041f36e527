package lessons

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/sim/lab"
	"github.com/chubbycell/chubby/sim/plan"
)

// Lesson is something that programs do wrong with locks, and what is right.
type Lesson struct {
	Name  string // what a user types
	Title string // one line
	Says  string // what is to be learnt
	File  string // of this directory: it has the programs

	script   func(s *scene) // faults and machines, the same for each program; it starts s.program
	programs []program      // wrong ones first
	length   time.Duration  // of a run at the most; 0: two minutes
	harm     []harm         // what counts as harm
	shows    []count        // what else is to be seen
}

// program is a program with the lock system and the resource that it uses.
type program struct {
	name  string // of the function in the lesson's file
	note  string // what tells it from the others, in words
	wrong bool
	build func(b *lab.Bench) lab.Lock
	guard plan.FenceMode
	run   func(a *lab.App, s *scene)
}

// scene is the world of one run.
type scene struct {
	*lab.Bench
	program func(a *lab.App, s *scene)
	counts  map[string]int // of what machines and programs note
}

// client starts the program that is played.
func (s *scene) client(name string, start time.Duration) {
	s.App(name, start, func(a *lab.App) { s.program(a, s) })
}

// pauseUntilRead stops the program of a machine until a client has read the resource, and for a
// second more.
func (s *scene) pauseUntilRead(name, reader string) {
	s.Say(name, "is paused (its process does not run)")
	m := s.Machine(name)
	m.Pause()
	s.When(reader, lab.Read, func() {
		s.At(s.Now()+time.Second, func() {
			s.Say(name, "runs again")
			m.Resume()
		})
	})
}

// slew corrects the wall clock of a machine by letting it run fast until it has gained so much.
func (s *scene) slew(name string, by time.Duration, ppm int64) {
	takes := by * 1_000_000 / time.Duration(ppm)
	s.Say(name, "its clock is slewed by %+.0f s, at %+d ppm: that takes %.0f s", by.Seconds(), ppm, takes.Seconds())
	clock := s.Machine(name).Clock()
	clock.SetRate(ppm * 1000)
	s.At(s.Now()+takes, func() { clock.SetRate(0) })
}

// run is one run that is over.
type run struct {
	lab.Outcome
	counts map[string]int
}

// Finding is what became of one program.
type Finding struct {
	Program string      `json:"program"` // function
	Note    string      `json:"note"`
	Guard   string      `json:"resource"`
	Wrong   bool        `json:"wrong"`
	Harm    string      `json:"harm,omitempty"` // that it did; "": none
	Shows   string      `json:"shows,omitempty"`
	Outcome lab.Outcome `json:"outcome"`
}

// Holds reports that a wrong program did harm, or a right one none.
func (f *Finding) Holds() bool { return f.Wrong == (f.Harm != "") }

// Play runs all programs of a lesson, wrong ones first. Equal seeds find the same. The error is a panic
// of a model or of a program.
func (l *Lesson) Play(seed uint64) ([]Finding, error) {
	var all []Finding
	for i := range l.programs {
		p := &l.programs[i]
		s := &scene{program: p.run, counts: map[string]int{}}
		b := &lab.Break{ID: l.Name, Length: l.length, Script: func(b *lab.Bench) {
			s.Bench = b
			l.script(s)
		}}
		o, err := lab.Run(b, lab.Variant{Name: p.name, Guard: p.guard, Build: p.build}, seed)
		if err != nil {
			return nil, fmt.Errorf("lesson %s, program %s: %w", l.Name, p.name, err)
		}
		r := &run{o, s.counts}
		f := Finding{Program: p.name, Note: p.note, Guard: p.guard.String(), Wrong: p.wrong, Outcome: o}
		for _, h := range l.harm {
			f.Harm = joined(f.Harm, h(r))
		}
		for _, c := range l.shows {
			f.Shows = joined(f.Shows, c(r))
		}
		all = append(all, f)
	}
	return all, nil
}

func joined(a, b string) string {
	if a != "" && b != "" {
		return a + "; " + b
	}
	return a + b
}

// Programs are the names of the functions, in their order.
func (l *Lesson) Programs() []string {
	var all []string
	for _, p := range l.programs {
		all = append(all, p.name)
	}
	return all
}

// All lists the lessons in the order of tables.
func All() []Lesson {
	return []Lesson{
		efficiency(), externalCall(), ignoredFailure(), releaseRace(), herd(), missingFence(), pooledSession(),
		clockStep(), pointOfNoReturn(), withoutALock(), layers(), randomToken(),
	}
}

// Named is the lesson with this name.
func Named(name string) (Lesson, bool) {
	for _, l := range All() {
		if l.Name == name {
			return l, true
		}
	}
	return Lesson{}, false
}
