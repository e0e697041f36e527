package experiment

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Sample is what one seed says of one side of a Comparison: values by name, such as how long
// each of its calls took, or one number.
type Sample struct {
	Seed   uint64               `json:"seed"`
	Values map[string][]float64 `json:"values"`
	// Broke is the property that broke in it, "" where none did, and Text what was seen.
	Broke string `json:"broke,omitempty"`
	Text  string `json:"text,omitempty"`
}

// Column is one number by which two sides are compared.
type Column struct {
	Name string // for people and files; each once
	Of   string // which values of a Sample
	// Percent is the quantile of the values of all seeds together; 0: their mean.
	Percent int
	Form    Form
	// Always has the column take in seeds in which something broke, too. What else is
	// measured of a run that broke off says little.
	Always bool
}

// Form says how the numbers of a column are printed.
type Form int

// The forms.
const (
	Plain   Form = iota // 12.3
	Seconds             // 1.234 s, or 0.123 ms
	PerCent             // 12.30 %
)

func (f Form) text(v float64) string {
	switch f {
	case Seconds:
		if math.Abs(v) < 1 {
			return fmt.Sprintf("%.3g ms", 1000*v)
		}
		return seconds(v)
	case PerCent:
		return percent(v)
	}
	return fmt.Sprintf("%.2f", v)
}

// Side is one of the two that are compared.
type Side int

// The sides.
const (
	A Side = iota
	B
)

// Comparison compares two sides by the same seeds. A pair of samples of one seed counts as
// soon as both are there; a column takes in a pair in which nothing broke on either side, or
// any (Column.Always). Differences are B less A. Their intervals come from changing places of the sides
// of pairs, so what seeds have in common does not widen them. One caller at a time.
type Comparison struct {
	names   [2]string
	columns []Column
	pairs   map[uint64]*[2]*Sample
}

// NewComparison is one without samples, of sides that are called so.
func NewComparison(a, b string, columns []Column) *Comparison {
	return &Comparison{names: [2]string{a, b}, columns: slices.Clone(columns), pairs: map[uint64]*[2]*Sample{}}
}

// Add takes in what a seed says of a side; the last word on it holds.
func (c *Comparison) Add(side Side, s Sample) {
	p := c.pairs[s.Seed]
	if p == nil {
		p = &[2]*Sample{}
		c.pairs[s.Seed] = p
	}
	p[side] = &s
}

// Compared is one column of a Comparison.
type Compared struct {
	Name string `json:"name"`
	// Pairs are the seeds that are in it, Values what they have of either side.
	Pairs      int      `json:"pairs"`
	Values     [2]int   `json:"values"`
	A          Estimate `json:"a"`
	B          Estimate `json:"b"`
	Difference Estimate `json:"difference"` // B less A
	// Differs says that the interval of the difference leaves out 0. Of twenty columns that do not
	// differ, at most one is expected to say so, however few seeds there are; below six pairs
	// that have values none does.
	Differs bool `json:"differs"`
	// NoInterval is why a difference has no interval: "too few seeds", or "alike in each seed".
	NoInterval string `json:"no_interval,omitempty"`

	column Column
}

// Why a difference has no interval.
const (
	tooFew    = "too few seeds"
	sameInAll = "alike in each seed"
)

// Broken is a seed in which something broke.
type Broken struct {
	Side     string `json:"side"` // "A" or "B"
	Seed     uint64 `json:"seed"`
	Property string `json:"property"`
	Text     string `json:"text"`
}

// all are the whole pairs in the order of seeds.
func (c *Comparison) all() [][2]*Sample {
	var all [][2]*Sample
	for _, p := range c.pairs { // order-free: sorted below
		if p[A] != nil && p[B] != nil {
			all = append(all, *p)
		}
	}
	slices.SortFunc(all, func(x, y [2]*Sample) int { return cmp.Compare(x[A].Seed, y[A].Seed) })
	return all
}

// Pairs is how many seeds both sides have been measured by, and of them those in which nothing broke
// on either side.
func (c *Comparison) Pairs() (all, whole int) {
	for _, p := range c.all() {
		all++
		if p[A].Broke == "" && p[B].Broke == "" {
			whole++
		}
	}
	return all, whole
}

// Broken are the seeds in which something broke, in their order.
func (c *Comparison) Broken() []Broken {
	broken := []Broken{}
	for _, p := range c.all() {
		for side, s := range p {
			if s.Broke != "" {
				broken = append(broken, Broken{[]string{"A", "B"}[side], s.Seed, s.Broke, s.Text})
			}
		}
	}
	return broken
}

// Compare works out all columns. It takes a while: each is computed thousands of times.
func (c *Comparison) Compare() []Compared {
	all := c.all()
	whole := slices.DeleteFunc(slices.Clone(all), func(p [2]*Sample) bool { return p[A].Broke != "" || p[B].Broke != "" })
	rows := []Compared{}
	for _, col := range c.columns {
		pairs := whole
		if col.Always {
			pairs = all
		}
		rows = append(rows, col.compare(pairs))
	}
	return rows
}

func (col Column) compare(pairs [][2]*Sample) Compared {
	r := Compared{Name: col.Name, Pairs: len(pairs), column: col}
	var sides [2][][]float64
	var seeds [2]int // that have values: of one alone it is not known how far seeds differ
	for side := range sides {
		for _, p := range pairs {
			values := p[side].Values[col.Of]
			sides[side] = append(sides[side], values)
			r.Values[side] += len(values)
			seeds[side] += min(1, len(values))
		}
	}
	r.A, r.B = col.estimate(sides[A]), col.estimate(sides[B])
	if !r.isKnown() {
		return r
	}
	r.Difference.Value = r.B.Value - r.A.Value
	s := newSwap(sides[A], sides[B], col.Percent)
	if of, ok := hitsOf(sides); ok && col.Form == PerCent && col.Percent == 0 {
		ends := of.intervals(s.rejects(0))
		r.A.Interval, r.B.Interval, r.Difference.Interval = ends[0], ends[1], ends[2]
	} else if alike(sides) {
		r.NoInterval = sameInAll
	} else if min(seeds[A], seeds[B]) > 1 {
		r.Difference.Interval = s.interval(r.Difference.Value)
	}
	d := r.Difference.Interval
	if len(d) == 0 && r.NoInterval == "" {
		r.NoInterval = tooFew
	}
	r.Differs = len(d) == 2 && (d[0] > 0 || d[1] < 0)
	return r
}

// estimate is the number of one side.
func (col Column) estimate(bySeed [][]float64) Estimate {
	p := newPool(bySeed)
	e := bootstrap(len(bySeed), func(times []int) float64 { return col.of(p, times) })
	if p.seeds() < fewest {
		e.Interval = nil
	}
	return e
}

// of is the number of a pool.
func (col Column) of(p *pool, times []int) float64 {
	if col.Percent > 0 {
		return p.quantile(times, col.Percent)
	}
	return p.mean(times)
}

// isKnown says that both sides have values.
func (r *Compared) isKnown() bool { return r.Values[A] > 0 && r.Values[B] > 0 }
