package simtest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/experiment"
)

// What each run of a World has, beside its measures and counters.
const (
	violation = "violation" // 1 if something broke, else 0
	events    = "events"
	simulated = "simulated" // seconds of true time
)

// measured are the columns by which runs of two Worlds are compared, and what is known of them.
type measured struct {
	columns  []experiment.Column
	counters map[string]bool // by name, of all runs, and whether one is above 0; a run without a counter has 0
	wrong    []string        // about names
}

// checkColumns refuses columns that cannot be compared.
func checkColumns(t testing.TB, columns []experiment.Column) {
	t.Helper()
	seen := map[string]bool{SeedsWithAViolation: true}
	for _, c := range columns {
		switch {
		case c.Name == "" || seen[c.Name]:
			t.Fatalf("simtest: a column is named %q: give each a name of its own; %q is always there", c.Name, SeedsWithAViolation)
		case c.Percent < 0 || c.Percent > 99:
			t.Fatalf("simtest: column %q: Percent is %d: 1 to 99, or 0 for the mean", c.Name, c.Percent)
		}
		seen[c.Name] = true
	}
}

// columnsOf returns the columns of a comparison. wanted are those that the test asks for; nil: all that the runs have.
func columnsOf(results [][]cell.Result, wanted []experiment.Column) measured {
	m := measured{counters: map[string]bool{}}
	values := map[string]bool{}
	for _, of := range results {
		for i := range of {
			for _, c := range of[i].Counters {
				m.counters[c.Name] = m.counters[c.Name] || c.Value > 0
			}
			for _, v := range of[i].Measures {
				values[v.Name] = true
			}
		}
	}
	m.columns = []experiment.Column{{Name: SeedsWithAViolation, Of: violation, Form: experiment.PerCent, Always: true}}
	for _, name := range sortedNames(values) {
		if _, isCounter := m.counters[name]; isCounter || slices.Contains([]string{violation, events, simulated}, name) {
			m.wrong = append(m.wrong, fmt.Sprintf("sim.Measure is called with %q, which is the name of a counter, or of what each run has: measure under another name", name))
		}
	}
	known := slices.Concat(sortedNames(values), sortedNames(m.counters), []string{events, simulated})
	if wanted == nil {
		m.columns = append(m.columns, all(values, m.counters)...)
		return m
	}
	for _, c := range wanted {
		if !slices.Contains(known, c.Of) && c.Of != violation && len(results) > 0 {
			m.wrong = append(m.wrong, fmt.Sprintf("column %q is of %q, which no run has measured or counted; there are %s", c.Name, c.Of, quoted(known)))
		}
	}
	m.columns = append(m.columns, wanted...)
	return m
}

// all returns columns for everything that runs have, except counters of faults and those that are 0 everywhere.
func all(values, counters map[string]bool) []experiment.Column {
	var columns []experiment.Column
	for _, name := range sortedNames(values) {
		columns = append(columns, experiment.Column{Name: name + " p50", Of: name, Percent: 50}, experiment.Column{Name: name + " p90", Of: name, Percent: 90})
	}
	for _, name := range sortedNames(counters) {
		if counters[name] && !strings.HasPrefix(name, "fault.") && !strings.HasPrefix(name, "faults.") {
			columns = append(columns, experiment.Column{Name: name, Of: name})
		}
	}
	return append(columns, experiment.Column{Name: events, Of: events})
}

// sample returns what a run measured.
func (m *measured) sample(r *cell.Result) experiment.Sample {
	s := experiment.Sample{Seed: r.Seed, Broke: r.Broke(), Values: map[string][]float64{
		violation: {0}, events: {float64(r.Events)}, simulated: {r.Simulated.Seconds()},
	}}
	if r.Breach != nil {
		s.Values[violation], s.Text = []float64{1}, r.Breach.Text
	}
	for name := range m.counters { // order-free: into a map
		s.Values[name] = []float64{0}
	}
	for _, c := range r.Counters {
		s.Values[c.Name] = []float64{float64(c.Value)}
	}
	for _, v := range r.Measures {
		s.Values[v.Name] = v.Values
	}
	return s
}

func quoted(names []string) string {
	var all []string
	for _, name := range names {
		all = append(all, fmt.Sprintf("%q", name))
	}
	return strings.Join(all, ", ")
}

func sortedNames[V any](of map[string]V) []string { return slices.Sorted(maps.Keys(of)) }
