package lab

import (
	"math"
	"time"
)

// Load is a workload with faults that are drawn, not scripted: for how often harm happens.
type Load struct {
	Title     string
	Published string // what others measured or computed, and where
	Script    func(b *Bench, clients int)
	Length    time.Duration // of a run, where a user says nothing
	Clients   []int         // how many, in the table
	Variants  []Variant
}

// Toll is what became of the updates of one run.
type Toll struct {
	Done    int `json:"done"`    // accepted by the resource
	Lost    int `json:"lost"`    // of them, not in its value at the end
	Refused int `json:"refused"` // requests
	Holders int `json:"holders"` // the most at one instant
}

// Toll runs the workload once. Equal arguments give equal tolls.
func (l *Load) Toll(v Variant, clients int, length time.Duration, seed uint64) (Toll, error) {
	o, err := Run(&Break{ID: "load", Script: func(b *Bench) { l.Script(b, clients) }, Length: length}, v, seed)
	t := Toll{Holders: together(o.Holds)}
	for i := range o.Writes {
		switch w := &o.Writes[i]; {
		case w.Lost:
			t.Lost++
			fallthrough
		case w.Accepted:
			t.Done++
		default:
			t.Refused++
		}
	}
	return t, err
}

// together is how many acted as holders at one instant, at the most. holds are in the order of
// their beginnings.
func together(holds []Hold) (most int) {
	for i := range holds {
		n := 0
		for _, x := range holds[:i+1] {
			if x.To > holds[i].From {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// Share is the part of the accepted updates that was lost, over runs with different seeds, and half
// the width of its interval of 95 %: of the ratio of two sums, by the scatter of the runs.
func Share(all []Toll) (share, half float64) {
	var done, lost float64
	for _, t := range all {
		done, lost = done+float64(t.Done), lost+float64(t.Lost)
	}
	if done == 0 {
		return 0, 0
	}
	share = lost / done
	if len(all) < 2 {
		return share, math.Inf(1)
	}
	var squares float64
	for _, t := range all {
		rest := float64(t.Lost) - share*float64(t.Done)
		squares += rest * rest
	}
	n := float64(len(all))
	return share, 1.96 * math.Sqrt(squares*n/(n-1)) / done
}
