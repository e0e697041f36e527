package sim

import (
	"slices"
	"strings"
)

// Measured has the values of one name in a run, in the order in which they were measured.
type Measured struct {
	Name   string
	Values []float64
}

// measures keeps names in a map for measuring, and returns them in order.
type measures struct{ byName map[string][]float64 }

func (m *measures) add(name string, value float64) {
	if m.byName == nil {
		m.byName = map[string][]float64{}
	}
	m.byName[name] = append(m.byName[name], value)
}

func (m *measures) list() []Measured {
	var all []Measured
	for name, values := range m.byName { // order-free: sorted below
		all = append(all, Measured{name, slices.Clone(values)})
	}
	slices.SortFunc(all, func(a, b Measured) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Measure notes a value of a run under a name, such as how long a call took, in seconds: for
// comparisons and experiments (simtest.Compare, simtest.Sweep). A name may have many values in a
// run. For what is counted, use World.Count. Measures do not enter the hash, and change no run.
func Measure(w *World, name string, value float64) { w.measures.add(name, value) }

// Measures returns what Measure has noted, in the order of names.
func Measures(w *World) []Measured { return w.measures.list() }
