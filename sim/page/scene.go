package page

import (
	"cmp"
	"io"
	"regexp"
	"slices"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/story"
)

// Scene describes a run of other machines than a cell, such as a script of the lab: what its page needs in addition to
// the trace.
type Scene struct {
	Title, Verdict string
	Command        string // command line that runs it again
	Facts, Story   []string
	Machines       map[sim.Addr]string // names of machines; 0: the name of the lane of the whole run
	Locks          []Span              // times in which a client acted as a holder
	Faults         []Span              // faults, on the lanes of the machines that they strike
	Harm           *Span               // the damage, on the machine that suffered it; nil: none
}

// Span is something on one lane, from one instant of true time to another.
type Span struct {
	Who      sim.Addr
	From, To time.Duration // a To after the end of the run means that it does not end
	Text     string
}

// address matches the name by which texts call a machine that has no name in Scene.Machines.
var address = regexp.MustCompile(`\b[nc]\d+\b`)

// WriteScene writes the page of a finished run whose trace was written to the Recorder. Lines of kind "says"
// are notes of its machines. It returns the errors of w.
func (r *Recorder) WriteScene(w io.Writer, s Scene) error {
	for _, l := range s.Locks {
		r.bars.begin(bar{who: l.Who, kind: locked, from: l.From, text: l.Text})
		r.bars.all[len(r.bars.all)-1].to = min(l.To, r.end)
	}
	past := &story.Story{}
	if s.Harm != nil {
		past = r.pastOf(s.Harm)
	}
	words := &faultWords{help: map[string]string{}}
	d := r.data(words, past)
	d.names = s.Machines
	for i := range d.entries {
		if e := &d.entries[i]; e.kind == effect {
			e.text = address.ReplaceAllStringFunc(e.text, func(name string) string {
				for a, own := range s.Machines {
					if a != 0 && a.String() == name {
						return own
					}
				}
				return name
			})
		}
	}
	for _, f := range s.Faults {
		d.bands = append(d.bands, band{from: f.From, to: min(f.To, r.end), text: s.Machines[f.Who] + " " + f.Text, on: []sim.Addr{f.Who}})
	}
	at := time.Duration(0)
	if s.Harm != nil {
		d.broke, at = s.Harm.From, s.Harm.From
		i, _ := slices.BinarySearchFunc(d.entries, at, func(e entry, at time.Duration) int { return cmp.Or(cmp.Compare(e.at, at), -1) })
		d.entries = slices.Insert(d.entries, i, entry{at: at, who: s.Harm.Who, kind: breaks, text: s.Harm.Text, got: never, mark: picked})
	}
	return d.fit(w, at, view{Title: s.Title, Verdict: s.Verdict, Command: s.Command, Broke: s.Harm != nil, Facts: s.Facts, Story: s.Story})
}

// pastOf returns the past of a harm: the moments that the last moment of its machine before it may have come from.
func (r *Recorder) pastOf(harm *Span) *story.Story {
	last := -1
	for i := range r.log.All {
		if m := &r.log.All[i]; m.Who == harm.Who && m.At <= harm.From {
			last = i
		}
	}
	if last < 0 {
		return &story.Story{}
	}
	return &story.Story{Past: r.log.Past([]int{last}), Told: []int{last}}
}
