package experiment

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Sample has what one seed measured on one side of a Comparison: values by name, such as how long
// each of its calls took, or a single number.
type Sample struct {
	Seed   uint64               `json:"seed"`
	Values map[string][]float64 `json:"values"`
	// Broke is the property that broke in the seed, "" if none did. Text is what the check saw.
	Broke string `json:"broke,omitempty"`
	Text  string `json:"text,omitempty"`
}

// Column is one number by which two sides are compared.
type Column struct {
	Name string // for reports and files; unique
	Of   string // the name of the values in a Sample
	// Percent is the quantile of the values of all seeds together; 0: their mean.
	Percent int
	Form    Form
	// Always makes the column include seeds in which something broke. Other columns exclude them,
	// because the values of a run that ended early mean little.
	Always bool
}

// Form is how the numbers of a column are printed.
type Form int

// The forms.
const (
	Plain   Form = iota // 12.34, or 0.0012
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
	if v != 0 && math.Abs(v) < 0.1 {
		return fmt.Sprintf("%.2g", v)
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

// Comparison compares two sides by the same seeds. A pair of samples of one seed counts once both
// have been added. A column includes the pairs in which nothing broke on either side, or all
// (Column.Always). Differences are B minus A. Their intervals come from exchanging the sides of
// pairs, so differences between seeds do not widen them. A Comparison is not safe for concurrent
// use.
type Comparison struct {
	names   [2]string
	columns []Column
	pairs   map[uint64]*[2]*Sample
}

// NewComparison returns a Comparison without samples. a and b are the names of the sides.
func NewComparison(a, b string, columns []Column) *Comparison {
	return &Comparison{names: [2]string{a, b}, columns: slices.Clone(columns), pairs: map[uint64]*[2]*Sample{}}
}

// Add adds the sample of a seed on a side, and replaces an earlier one.
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
	// Pairs is how many seeds the column includes, and Values how many values they have on each
	// side.
	Pairs      int      `json:"pairs"`
	Values     [2]int   `json:"values"`
	A          Estimate `json:"a"`
	B          Estimate `json:"b"`
	Difference Estimate `json:"difference"` // B minus A
	// Differs reports whether the interval of the difference excludes 0. Of twenty columns whose
	// sides do not differ, at most one is expected to have Differs set, however few seeds there
	// are. With fewer than six pairs that have values, it is never set.
	Differs bool `json:"differs"`
	// NoInterval is why the difference has no interval: "too few seeds", "alike in each seed", or
	// that no sample has values of the name in Column.Of.
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

// all returns the complete pairs, in the order of seeds.
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

// Pairs returns how many seeds have samples on both sides, and in how many of these nothing broke
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

// Broken returns the seeds in which something broke, in their order.
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

// Compare computes all columns. It takes a while, because each is computed thousands of times.
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
	var seeds [2]int // how many have values: one alone does not show how much seeds differ
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
		if len(pairs) > 0 && !col.isNamedIn(pairs) {
			r.NoInterval = fmt.Sprintf("no values named %q", col.Of)
		}
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

// isNamedIn reports whether a sample has values of the column, even if it is an empty list: a misspelt
// Of has none anywhere.
func (col Column) isNamedIn(pairs [][2]*Sample) bool {
	return slices.ContainsFunc(pairs, func(p [2]*Sample) bool {
		_, a := p[A].Values[col.Of]
		_, b := p[B].Values[col.Of]
		return a || b
	})
}

// estimate returns the number of one side.
func (col Column) estimate(bySeed [][]float64) Estimate {
	p := newPool(bySeed)
	return bootstrap(len(bySeed), p.seeds(), func(times []int) float64 { return col.of(p, times) })
}

// of returns the number of a pool.
func (col Column) of(p *pool, times []int) float64 {
	if col.Percent > 0 {
		return p.quantile(times, col.Percent)
	}
	return p.mean(times)
}

// isKnown reports whether both sides have values.
func (r *Compared) isKnown() bool { return r.Values[A] > 0 && r.Values[B] > 0 }
