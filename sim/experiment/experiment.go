package experiment

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
)

// Experiment is a grid of options, and the event whose share of seeds is measured.
type Experiment struct {
	Name  string
	Help  string // one line
	Event string // what is counted, as "seeds in which ..."
	Axis  string // what X means
	Even  bool   // pictures show the values of X at even distances, not to scale
	Grid  []Place
	Judge func(*cell.Result) Verdict

	// Sums returns further numbers of a judged seed, which are added up for each place; nil: there
	// are none. It returns the same names, for readers, in the same order for every seed.
	Sums func(*cell.Result) []cell.Number

	// Rate is a rate of events, not of seeds, from two of the Sums; nil: none is computed.
	Rate *Rate

	// Waits returns how long the clients of a seed waited for something; nil: waits are not
	// measured. Wait describes for what they waited.
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
	Options plan.Options // without Seed
}

// Verdict is the outcome of one seed in one place.
type Verdict int

// The verdicts.
const (
	Miss Verdict = iota // the event did not happen
	Hit                 // the event happened
	Void                // the seed is not judged: something else ended the run
)

var names = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// Check returns an error if something in an experiment is missing or invalid.
func (e *Experiment) Check() error {
	switch {
	case !names.MatchString(e.Name):
		return fmt.Errorf("experiment %q: a name is of the form %v", e.Name, names)
	case e.Judge == nil:
		return fmt.Errorf("experiment %q: Judge is nil", e.Name)
	case len(e.Grid) == 0:
		return fmt.Errorf("experiment %q: Grid is empty", e.Name)
	}
	for _, p := range e.Grid {
		if err := p.Options.Check(); err != nil {
			return fmt.Errorf("experiment %q, series %q at %v: %w", e.Name, p.Series, p.X, err)
		}
	}
	return nil
}

// At returns the experiment with only the places whose X is one of xs, in every series. It returns
// false if there is no place at one of xs.
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

// Places returns the values of X, in the order of the grid.
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

// Series returns the names of the series, in the order of the grid.
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
