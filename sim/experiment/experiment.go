package experiment

import (
	"fmt"
	"regexp"
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

	// Sums are further numbers of a seed that says something, added up for each
	// place; nil: there are none. They have the same names in every seed, in the same
	// order, and words for people.
	Sums func(*cell.Result) []cell.Number

	// Rate is a rate of events rather than of seeds, of two of the Sums; nil: none is
	// asked for.
	Rate *Rate

	// Waits are how long the clients of a seed waited for something; nil: that is not
	// asked for. Wait says for what, for people.
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

// Verdict is what one seed says.
type Verdict int

// The verdicts.
const (
	Miss Verdict = iota // the event did not happen
	Hit                 // it did
	Void                // the run says nothing about it: something else ended it
)

var names = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// Check says what is missing in an experiment, or not possible.
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

// At leaves those places of the grid whose X is one of xs, in every series. It
// returns false if there is no place at one of them.
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
