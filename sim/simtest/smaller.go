package simtest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/runner"
	"github.com/chubbycell/chubby/sim/shrink"
)

// part is the part of a World's faults that a run has. The zero part is all of them.
type part struct {
	off    []int           // disabled faults, by their places in Scenario.Faults
	script *[]sim.Strike   // the strikes of the other faults; nil: all
	record *[]sim.Strike   // where the run records its strikes; nil: nowhere
	seen   *[]sim.Property // where the run leaves the properties of its Scenario; nil: nowhere
	until  time.Duration   // true time at which the run may end; 0: it ends as the Scenario says
}

// reduce reduces a scenario to this part. The remaining faults draw the same numbers as before.
func (p part) reduce(s *sim.Scenario) {
	s.Faults = slices.Clone(s.Faults)
	for _, i := range p.off {
		s.Faults[i] = quiet{s.Faults[i]}
	}
	s.Script, s.Record = p.script, p.record
	if p.seen != nil {
		*p.seen = s.Properties
	}
	if p.until > 0 && p.until < s.Safety {
		s.Safety, s.Liveness = p.until, 0
	}
}

// quiet is a fault that does nothing.
type quiet struct{ sim.Fault }

func (quiet) Run(*sim.Stage) {}

// small is a failure of a World that was shrunk.
type small struct {
	part
	tried bool         // shrink ran anything
	names []string     // of all faults of the Scenario
	had   map[int]int  // strikes of each fault in the whole run, by its place in Scenario.Faults
	at    *cell.Breach // the break with the part's faults
	more  string       // "": all was tried; otherwise that it was not
}

// shrink leaves out faults, and then strikes, as long as the same check breaks the same property. It ends when the time
// within is over.
func (x World) shrink(r *cell.Result, within time.Duration) small {
	out := small{at: r.Breach}
	if within <= 0 {
		return out
	}
	end := time.Now().Add(within)
	out.tried = true
	all := x.Scenario(r.Seed)
	for _, f := range all.Faults {
		out.names = append(out.names, f.Name())
	}
	does := func(p part) bool {
		if time.Now().After(end) {
			out.more = moreTime(within)
			return false
		}
		if at := out.at.At; at < all.Safety {
			p.until = at + at/2 + time.Second
		}
		run := runner.Guard(func(o plan.Options) cell.Result { return x.with(o, p) })
		t := run(plan.Options{Seed: r.Seed})
		if t.Internal || !t.Breach.Same(r.Breach) {
			return false
		}
		out.part, out.at = p, t.Breach
		out.until, out.record = 0, nil
		return true
	}
	var strikes []sim.Strike
	if !does(part{record: &strikes}) {
		return out
	}
	out.had = map[int]int{}
	for _, k := range strikes {
		out.had[k.Fault]++
	}
	for i := range all.Faults {
		does(part{off: append(slices.Clone(out.off), i)})
	}
	// Without the faults that are off, the others may strike at other times than in the whole run.
	var left []sim.Strike
	if off := out.off; does(part{off: off, record: &left}) && does(part{off: off, script: &left}) {
		shrink.Minimize(left, func(some []sim.Strike) bool { return does(part{off: off, script: &some}) })
	}
	return out
}

// mostStrikes is the number of strikes of one fault that are listed by their times.
const mostStrikes = 6

// needs describes what is left; "": shrink tried nothing.
func (m small) needs() string {
	if !m.tried {
		return ""
	}
	struck, had := map[int][]string{}, 0
	if m.script != nil {
		for _, k := range *m.script {
			struck[k.Fault] = append(struck[k.Fault], fmt.Sprintf("%.3f", k.At.Seconds()))
		}
	}
	var left []string
	for i, name := range m.names {
		at := struck[i]
		had += m.had[i]
		switch {
		case slices.Contains(m.off, i) || m.script != nil && m.had[i] > 0 && len(at) == 0:
			continue
		case len(at) > mostStrikes:
			name = fmt.Sprintf("%s %d times, first at %s s", name, len(at), at[0])
		case len(at) > 0:
			name += " at " + strings.Join(at, ", ") + " s"
		}
		left = append(left, name)
	}
	if left == nil {
		left = []string{"none"}
	}
	if len(m.names) == 0 {
		return fmt.Sprintf("faults needed: none (there are none); it breaks at %.3f s of true time, event %d", m.at.At.Seconds(), m.at.Step)
	}
	of := fmt.Sprintf("faults needed, of %d kinds", len(m.names))
	if had > 0 {
		of += fmt.Sprintf(" and %d strikes", had)
	}
	return fmt.Sprintf("%s: %s; it then breaks at %.3f s of true time, event %d%s", of, strings.Join(left, ", "), m.at.At.Seconds(), m.at.Step, m.more)
}
