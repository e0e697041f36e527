package experiment

import (
	"math"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/sim/cell"
)

// Tally adds up the outcomes of seeds. It is not safe for concurrent use.
type Tally struct {
	e      Experiment
	points []Point
	seeds  []uint64
	rows   [][]Verdict // of each seed, by place of the grid; -1: not yet
	said   [][]sample  // of judged seeds, by place of the grid
	others []Other     // the first MostOthers of them
}

// Other is a run that is not judged because something other than the event ended it. It may be a
// bug.
type Other struct {
	Place    int     `json:"-"` // of the grid
	Series   string  `json:"series"`
	X        float64 `json:"x"`
	Seed     uint64  `json:"seed"`
	Property string  `json:"property"` // "" if the product or the simulator panicked
	Text     string  `json:"text"`
}

// MostOthers is how many Others a Tally keeps. An experiment that exceeds a bound on purpose may
// have very many.
const MostOthers = 10

// Point is what is known of one place of the grid.
type Point struct {
	Series string  `json:"series"`
	X      float64 `json:"x"`
	Seeds  int     `json:"seeds"`  // that ran
	Judged int     `json:"judged"` // how many of them are judged
	Hits   int     `json:"hits"`   // how many judged seeds have the event
	Share  float64 `json:"share"`  // hits in judged
	Low    float64 `json:"low"`    // 95 % confidence interval of the share
	High   float64 `json:"high"`
	First  uint64  `json:"first"` // seed of the first hit, if there is one
	After  int     `json:"after"` // seeds that ran until the first hit, including it; 0: there was none

	Sums  []cell.Number `json:"sums,omitempty"`  // over judged seeds
	Rate  *Estimate     `json:"rate,omitempty"`  // of the events of two sums
	Waits *Waits        `json:"waits,omitempty"` // of the clients of judged seeds
	Noted []Note        `json:"noted,omitempty"` // by property
}

// Note counts seeds in which a property broke that the experiment does not judge.
type Note struct {
	Property string `json:"property"`
	Seeds    int    `json:"seeds"`
	First    uint64 `json:"first"` // seed
}

const unknown Verdict = -1

// NewTally returns an empty tally of an experiment.
func NewTally(e Experiment) *Tally {
	t := &Tally{e: e, said: make([][]sample, len(e.Grid))}
	for _, p := range e.Grid {
		t.points = append(t.points, Point{Series: p.Series, X: p.X, High: 1, Sums: e.sums(&cell.Result{})})
	}
	return t
}

// Add adds the result of a seed in a place of the grid, an index of Experiment.Grid, and returns
// its verdict.
func (t *Tally) Add(place int, r *cell.Result) Verdict {
	v := t.e.Judge(r)
	p := &t.points[place]
	if v == Void && r.Failed() && len(t.others) < MostOthers {
		t.others = append(t.others, Other{place, p.Series, p.X, r.Seed, r.Breach.ID, r.Breach.Text})
	}
	for _, b := range r.Noted {
		p.note(b.ID, r.Seed)
	}
	s := sample{seed: r.Seed, verdict: v}
	if v != Void {
		s.sums = t.e.sums(r)
		if t.e.Waits != nil {
			s.waits = t.e.Waits(r)
		}
	}
	t.count(place, s)
	return v
}

// Count adds the outcome of a seed that is no run of a cell. The sums have the names and order of
// Experiment.Sums. The sums of a Void seed are ignored.
func (t *Tally) Count(place int, seed uint64, v Verdict, sums []cell.Number) {
	t.count(place, sample{seed: seed, verdict: v, sums: sums})
}

func (t *Tally) count(place int, s sample) {
	p := &t.points[place]
	p.Seeds++
	if s.verdict != Void {
		p.Judged++
		for i, n := range s.sums {
			p.Sums[i].Value += n.Value
		}
		t.said[place] = append(t.said[place], s)
	}
	if s.verdict == Hit {
		p.Hits++
		if p.After == 0 {
			p.First, p.After = s.seed, p.Seeds
		}
	}
	if p.Judged > 0 {
		p.Share = float64(p.Hits) / float64(p.Judged)
	}
	p.Low, p.High = wilson(p.Hits, p.Judged)
	t.note(place, s.seed, s.verdict)
}

// note counts a seed in which a property broke that the experiment does not judge.
func (p *Point) note(id string, seed uint64) {
	i, ok := slices.BinarySearchFunc(p.Noted, id, func(n Note, id string) int { return strings.Compare(n.Property, id) })
	if !ok {
		p.Noted = slices.Insert(p.Noted, i, Note{Property: id, First: seed})
	}
	p.Noted[i].Seeds++
}

// note stores the verdict with those of the same seed in other places.
func (t *Tally) note(place int, seed uint64, v Verdict) {
	at := len(t.seeds) - 1
	for at >= 0 && t.seeds[at] != seed {
		at--
	}
	if at < 0 {
		at = len(t.seeds)
		row := make([]Verdict, len(t.points))
		for i := range row {
			row[i] = unknown
		}
		t.seeds, t.rows = append(t.seeds, seed), append(t.rows, row)
	}
	t.rows[at][place] = v
}

// Points returns the points of the grid, in its order. Each call computes the intervals of rates
// and waits again.
func (t *Tally) Points() []Point {
	all := append([]Point{}, t.points...)
	for i := range all {
		all[i].Sums = slices.Clone(all[i].Sums)
		all[i].Noted = slices.Clone(all[i].Noted)
		said := t.samples(i)
		all[i].Rate, all[i].Waits = t.rate(said), t.waits(said)
	}
	return all
}

// Others returns the first MostOthers runs that something other than the event ended.
func (t *Tally) Others() []Other { return append([]Other{}, t.others...) }

// wilson returns the 95 % confidence interval of a share of hits in n, by Wilson's score. It stays
// between 0 and 1, and is useful for 0 hits, too.
func wilson(hits, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.959964
	share, trials := float64(hits)/float64(n), float64(n)
	middle := share + z*z/(2*trials)
	half := z * math.Sqrt(share*(1-share)/trials+z*z/(4*trials*trials))
	scale := 1 + z*z/trials
	low, high = (middle-half)/scale, (middle+half)/scale
	if hits == 0 {
		low = 0
	}
	if hits == n {
		high = 1
	}
	return low, high
}
