package sweep

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/sim/experiment"
	"github.com/chubbycell/chubby/sim/lab"
)

// lengths are the lengths of pauses, in leases.
var lengths = []float64{0.5, 0.75, 0.875, 1, 1.125, 1.25, 1.5, 1.75, 2, 2.25, 2.5, 3, 3.5, 4}

// Pause asks at what length of a pause of the holder an update is lost. The holder works for an
// eighth to a quarter of a lease and is paused on the way; it looks at nothing before it writes, and
// neither does the resource. Another client waits for the lock meanwhile.
func Pause(all []lab.System) *Sweep {
	s := &Sweep{
		Help: "the holder is paused: from which length on an update is lost",
		Experiment: experiment.Experiment{
			Name:  "pause",
			Event: "seeds in which an update was lost",
			Axis:  "length of the pause, in leases of the system",
			Even:  true, // the values are close together where curves rise
		},
	}
	for i := range all {
		for _, x := range lengths {
			s.add(&all[i], x, pausedHolder, func(o *lab.Outcome, _ *scene) Seen {
				return Seen{Verdict: verdict(lab.LosesUpdate.In(o))}
			})
		}
	}
	return s
}

// pausedHolder is the script: A is paused as it works, B waits.
func pausedHolder(s *scene) {
	start := s.part(s.fraction(0, 0.5))
	work, at := s.part(s.fraction(0.125, 0.25)), s.fraction(0, 1)
	s.Client("A", lab.Job{Start: start, Work: work, Careless: true})
	s.Client("B", lab.Job{Start: start + s.part(s.fraction(0.15, 0.2)), Work: s.part(s.fraction(0.125, 0.25)), Careless: true})
	length := s.part(s.x)
	s.When("A", lab.Read, func() {
		s.At(s.Now()+time.Duration(at*float64(work)), func() { s.Pause("A", s.Now()+length) })
	})
}

// Bound is where a curve rises, in values of the parameter; 0: at none of them.
type Bound struct {
	Series string
	None   float64 // up to here no seed lost an update
	First  float64 // here one did
	Always float64 // from here on all did
}

// Begin says in words between which values the first loss lies.
func (b *Bound) Begin() string {
	if b.First == 0 {
		return fmt.Sprintf("not up to %v leases", b.None)
	}
	return fmt.Sprintf("between %v and %v leases", b.None, b.First)
}

// End says in words from which value on every seed lost an update.
func (b *Bound) End() string {
	if b.Always == 0 {
		return "nowhere"
	}
	return fmt.Sprintf("from %v leases on", b.Always)
}

// Bounds are those of the points of a sweep, in the order of the series.
func Bounds(points []experiment.Point) []Bound {
	var all []Bound
	for _, p := range points {
		if len(all) == 0 || all[len(all)-1].Series != p.Series {
			all = append(all, Bound{Series: p.Series})
		}
		b := &all[len(all)-1]
		switch {
		case p.Hits > 0 && b.First == 0:
			b.First = p.X
		case p.Hits == 0 && b.First == 0:
			b.None = p.X
		}
		switch {
		case p.Hits < p.Judged:
			b.Always = 0
		case b.Always == 0:
			b.Always = p.X
		}
	}
	return all
}
