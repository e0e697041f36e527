package experiment

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
)

func TestTheIntervalIsWilsons(t *testing.T) {
	for _, c := range []struct {
		hits, n   int
		low, high float64
	}{
		{0, 0, 0, 1},
		{0, 10, 0, 0.2775},
		{10, 10, 0.7225, 1},
		{1, 10, 0.0179, 0.4042},
		{50, 100, 0.4038, 0.5962},
		{0, 20_000, 0, 0.0001921},
	} {
		low, high := wilson(c.hits, c.n)
		require.InDelta(t, c.low, low, 5e-5, "%d of %d", c.hits, c.n)
		require.InDelta(t, c.high, high, 5e-5, "%d of %d", c.hits, c.n)
	}
}

// someExperiment judges a seed by the results that filled makes.
func someExperiment(even bool) Experiment {
	return Experiment{
		Name: "luck", Event: "seeds that are lucky <enough>", Axis: "odds", Even: even,
		Grid: []Place{{Series: "plain", X: 0.5}, {Series: "plain", X: 2}, {Series: "loaded", X: 0.5}, {Series: "loaded", X: 2}},
		Judge: func(r *cell.Result) Verdict {
			switch {
			case r.Failed():
				return Void
			case r.Recovery > time.Second:
				return Hit
			}
			return Miss
		},
	}
}

// filled adds seeds 1 to n in all places. A seed is lucky if place+2 divides it, and is not judged
// if it ends with a 7.
func filled(e Experiment, n uint64) *Tally {
	tally := NewTally(e)
	for seed := uint64(1); seed <= n; seed++ {
		for place := range e.Grid {
			r := cell.Result{Seed: seed}
			if seed%uint64(place+2) == 0 {
				r.Recovery = 2 * time.Second
			}
			if seed%10 == 7 {
				r.Breach = &cell.Breach{ID: "S1"}
			}
			tally.Add(place, &r)
		}
	}
	return tally
}

// TestWhatIsWritten compares every form of one tally with its golden form:
//
//	table|csv|seeds|sums|svg seeds=N [even] [sums]
func TestWhatIsWritten(t *testing.T) {
	datadriven.RunTest(t, "testdata/written.txt", func(t *testing.T, d *datadriven.TestData) string {
		var n uint64
		d.ScanArgs(t, "seeds", &n)
		e := someExperiment(d.HasArg("even"))
		if d.HasArg("sums") {
			e.Sums = func(r *cell.Result) []cell.Number {
				return []cell.Number{{Name: "calls of all", Value: r.Seed}, {Name: "lost", Value: uint64(r.Recovery / time.Second)}}
			}
			e.Rate = &Rate{Name: "lost of all", Part: "lost", Whole: "calls of all"}
		}
		tally := filled(e, n)
		var b strings.Builder
		require.NoError(t, map[string]func(io.Writer) error{
			"table": tally.WriteTable, "csv": tally.WriteCSV, "seeds": tally.WriteSeeds, "sums": tally.WriteSums,
			"svg": func(w io.Writer) error { return tally.WriteSVG(w, "c0ffee") },
		}[d.Cmd](&b))
		return b.String()
	})
}

// Every picture is well-formed, and nothing lies outside of it.
func TestEveryPictureIsWellFormed(t *testing.T) {
	for _, e := range append(Catalogue(), someExperiment(true), someExperiment(false)) {
		for _, n := range []uint64{0, 1, 30} {
			var b strings.Builder
			require.NoError(t, filled(e, n).WriteSVG(&b, ""))
			require.Contains(t, b.String(), fmt.Sprintf("n = %d seeds in each place", n))
			require.Contains(t, b.String(), "; commit unknown<")
			require.NotContains(t, b.String(), "NaN", "%s of %d seeds", e.Name, n)
			require.NotContains(t, b.String(), "Inf", "%s of %d seeds", e.Name, n)
			var height float64
			d := xml.NewDecoder(strings.NewReader(b.String()))
			for {
				token, err := d.Token()
				if err == io.EOF {
					break
				}
				require.NoError(t, err)
				element, ok := token.(xml.StartElement)
				if ok && element.Name.Local == "svg" {
					height = attribute(t, element, "height")
				}
				if !ok || element.Name.Local != "circle" {
					continue
				}
				x, y := attribute(t, element, "cx"), attribute(t, element, "cy")
				require.True(t, left <= x && x <= width && top-0.1 <= y && y <= height-bottom+0.1, "%s: %v %v of %v", e.Name, x, y, height)
			}
		}
	}
}

func attribute(t *testing.T, e xml.StartElement, name string) (v float64) {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			_, err := fmt.Sscan(a.Value, &v)
			require.NoError(t, err)
			return v
		}
	}
	t.Fatalf("%s has no %s", e.Name.Local, name)
	return 0
}

// If an experiment counts events within seeds, or measures waits, a second panel shows them.
func TestPanels(t *testing.T) {
	for _, e := range Catalogue() {
		want := 1
		if e.Rate != nil || e.Waits != nil {
			want = 2
		}
		var b strings.Builder
		require.NoError(t, filled(e, 5).WriteSVG(&b, "c0ffee"))
		require.Equal(t, want*len(e.Series()), strings.Count(b.String(), "<polyline"), e.Name)
		require.NotContains(t, strings.ReplaceAll(b.String(), "http://www.w3.org/2000/svg", ""), "http", "it refers to nothing outside")
	}
	require.NotNil(t, fencing().Rate)
}

func TestTheAxisIsRound(t *testing.T) {
	for most, want := range map[float64]float64{0: 0.0001, 0.0001: 0.0001, 0.00019: 0.0002, 0.03: 0.05, 0.05: 0.05, 0.26: 0.5, 0.6: 1, 1: 1} {
		got, _ := ceiling(most)
		require.InDelta(t, want, got, 1e-9, "%g", most)
	}
}

// Every experiment of the catalogue can be run: its options are valid, and its seeds are judged.
func TestTheCatalogueCanBeRun(t *testing.T) {
	names := map[string]bool{}
	for _, e := range Catalogue() {
		require.False(t, names[e.Name], e.Name)
		names[e.Name] = true
		require.True(t, e.Help != "" && e.Event != "" && e.Axis != "" && len(e.Grid) > 1, e.Name)
		for i, p := range e.Grid {
			require.NoError(t, p.Options.Check(), "%s %s %g", e.Name, p.Series, p.X)
			require.NotEmpty(t, p.Series)
			for _, other := range e.Grid[:i] {
				require.False(t, other.Series == p.Series && other.X == p.X, "%s: %s %g stands twice", e.Name, p.Series, p.X)
			}
		}
		require.NoError(t, e.Check())
	}
}

func TestAnExperimentThatIsNotPossible(t *testing.T) {
	whole := Experiment{Name: "an", Judge: func(*cell.Result) Verdict { return Miss }, Grid: []Place{{Series: "a", X: 1}}}
	require.NoError(t, whole.Check())
	for want, spoil := range map[string]func(e *Experiment){
		`experiment "An": a name is of the form`:           func(e *Experiment) { e.Name = "An" },
		`experiment "an": Judge is nil`:                    func(e *Experiment) { e.Judge = nil },
		`experiment "an": Grid is empty`:                   func(e *Experiment) { e.Grid = nil },
		`experiment "an", series "a" at 1: --replicas 90:`: func(e *Experiment) { e.Grid = []Place{{Series: "a", X: 1, Options: plan.Options{Replicas: 90}}} },
	} {
		e := whole
		spoil(&e)
		require.ErrorContains(t, e.Check(), want)
	}
}

// A part of the grid keeps its order and all series. A place that does not exist is reported.
func TestAPartOfTheGrid(t *testing.T) {
	part, ok := drift().At([]float64{2, 1})
	require.True(t, ok)
	var where []string
	for _, p := range part.Grid {
		where = append(where, fmt.Sprint(p.Series, p.X))
	}
	require.Equal(t, []string{"unaimed1", "unaimed2", "aimed1", "aimed2"}, where)
	_, ok = drift().At([]float64{1, 3})
	require.False(t, ok)
}

// The same seed draws the same cell in every place, except for the parameter.
func TestSeedsArePaired(t *testing.T) {
	e := recovery()
	for _, p := range e.Grid {
		o := p.Options
		o.Seed = 5
		one := plan.New(o)
		first := e.Grid[0].Options
		first.Seed = 5
		other := plan.New(first)
		require.Equal(t, other.Link, one.Link)
		require.Equal(t, other.Disk, one.Disk)
		require.Equal(t, other.Workload, one.Workload)
	}
}
