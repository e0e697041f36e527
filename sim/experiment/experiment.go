package experiment

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
)

// Experiment is a grid of options, and the event whose share is asked for.
type Experiment struct {
	Name  string
	Help  string // one line
	Event string // what is counted, as "seeds in which ..."
	Axis  string // what X means
	Even  bool   // values of X are drawn at even distances, not to scale
	Grid  []Place
	Judge func(*cell.Result) Verdict

	// Sums are further numbers of a judged seed, added up for each place; nil: there
	// are none. They have the same names in every seed, in the same order; the names
	// are shown in reports.
	Sums func(*cell.Result) []cell.Number

	// Rate is a rate of events rather than of seeds, of two of the Sums; nil: none is
	// asked for.
	Rate *Rate

	// Waits are how long the clients of a seed waited for something; nil: that is not
	// measured. Wait names it in reports.
	Waits func(*cell.Result) []time.Duration
	Wait  string
}

// Rate is the share of the events of one sum in those of another.
type Rate struct {
	Name        string
	Part, Whole string // names of Sums
}

// Place is one place of the grid.
type Place struct {
	Series  string
	X       float64
	Options plan.Options // but for Seed
}

// Verdict is the outcome of one seed.
type Verdict int

// The verdicts.
const (
	Miss Verdict = iota // the event did not happen
	Hit                 // it did
	Void                // the run cannot be judged: something other than the event ended it
)

// At keeps the places of the grid whose X is one of xs, in every series. It returns false
// if one of xs has no place.
func (e Experiment) At(xs []float64) (Experiment, bool) {
	all := e.Grid
	e.Grid = nil
	for _, p := range all {
		if slices.Contains(xs, p.X) {
			e.Grid = append(e.Grid, p)
		}
	}
	for _, x := range xs {
		if !slices.ContainsFunc(all, func(p Place) bool { return p.X == x }) {
			return e, false
		}
	}
	return e, true
}

// Places are the values of X, in the order of the grid.
func (e Experiment) Places() []float64 {
	var all []float64
	for _, p := range e.Grid {
		if !slices.Contains(all, p.X) {
			all = append(all, p.X)
		}
	}
	return all
}

func (e *Experiment) sums(r *cell.Result) []cell.Number {
	if e.Sums == nil {
		return nil
	}
	return e.Sums(r)
}

// Series are the names of the series, in the order of the grid.
func (e *Experiment) Series() []string {
	var all []string
	seen := map[string]bool{}
	for _, p := range e.Grid {
		if !seen[p.Series] {
			seen[p.Series] = true
			all = append(all, p.Series)
		}
	}
	return all
}

// Find returns the experiment of a name, false if there is none.
func Find(name string) (Experiment, bool) {
	for _, e := range Catalogue() {
		if e.Name == name {
			return e, true
		}
	}
	return Experiment{}, false
}
