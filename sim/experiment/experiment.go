package experiment

import (
	"github.com/chubbycell/chubby/sim/cell"
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
}

// Place is one place of the grid.
type Place struct {
	Series  string
	X       float64
	Options cell.Options // but for Seed
}

// Verdict is what one seed says.
type Verdict int

// The verdicts.
const (
	Miss Verdict = iota // the event did not happen
	Hit                 // it did
	Void                // the run says nothing about it: something else ended it
)

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
