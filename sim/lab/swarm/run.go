package swarm

import (
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

// Seen is what is seen of one run.
type Seen struct {
	Overlap  bool            // two clients acted as holders at once
	Updates  int             // that the resource accepted
	Lost     int             // of them, those that its value does not contain
	Refused  int             // requests of the latest holder that a fence refused
	Holds    int             // grants of the lock
	Messages uint64          // between clients and the service
	Token    bool            // the system has one
	HandOffs []time.Duration // from the end of a hold to the next one, where a client waited all the time
	Gaps     []time.Duration // from the crash of a holder to the next hold
	Never    int             // crashes of holders behind which there was no hold in this run
}

// Run runs a system with its defaults under a fault. Equal arguments see the same. The error is
// a panic of a model.
func Run(s *lab.System, f Fault, guard lab.Variant, seed uint64) (Seen, error) {
	var w *storm
	b := &lab.Break{ID: f.Name, Length: length, Script: func(b *lab.Bench) {
		w = &storm{Bench: b, until: map[string]time.Duration{}}
		w.script(f)
	}}
	guard.Build = s.Default
	o, err := lab.Run(b, guard, seed)
	if err != nil {
		return Seen{}, err
	}
	x := Seen{Overlap: lab.Overlapping.In(&o), Holds: len(o.Holds), Messages: o.Messages}
	for i := range o.Writes {
		if o.Writes[i].Accepted {
			x.Updates++
		}
		if o.Writes[i].Lost {
			x.Lost++
		}
		if o.Writes[i].Wrongly {
			x.Refused++
		}
	}
	x.Token = len(o.Holds) > 0 && o.Holds[0].Token > 0
	x.handOffs(&o)
	x.gaps(&o, w.crashes)
	return x, nil
}

// handOffs are measured where one hold follows the other.
func (x *Seen) handOffs(o *lab.Outcome) {
	for i := 1; i < len(o.Holds); i++ {
		last, next := o.Holds[i-1], o.Holds[i]
		for _, w := range o.Waits {
			if w.Client == next.Client && w.To == next.From && w.From < last.To && last.To <= next.From {
				x.HandOffs = append(x.HandOffs, next.From-last.To)
			}
		}
	}
}

func (x *Seen) gaps(o *lab.Outcome, crashes []time.Duration) {
	for _, at := range crashes {
		found := false
		for _, h := range o.Holds {
			if found = h.From >= at; found {
				x.Gaps = append(x.Gaps, h.From-at)
				break
			}
		}
		if !found {
			x.Never++
		}
	}
}
