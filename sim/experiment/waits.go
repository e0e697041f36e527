package experiment

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/chubbycell/chubby/sim/cell"
)

// Waits are the quantiles of the waits of clients in a place of the grid, in seconds. Clients of
// all judged seeds are taken together; intervals come from resampling seeds.
type Waits struct {
	Clients int      `json:"clients"`
	P50     Estimate `json:"p50_s"`
	P90     Estimate `json:"p90_s"`
	P99     Estimate `json:"p99_s"`
	Max     float64  `json:"max_s"`
}

// WaitsOf returns a function for Experiment.Waits: what a run has measured under a name
// (sim.Measure), taken as seconds.
func WaitsOf(name string) func(*cell.Result) []time.Duration {
	return func(r *cell.Result) []time.Duration {
		var all []time.Duration
		for _, s := range r.Measured(name) {
			all = append(all, time.Duration(s*float64(time.Second)))
		}
		return all
	}
}

// waits estimates the quantiles, or returns nil if the experiment measures no waits.
func (t *Tally) waits(all []sample) *Waits {
	if t.e.Waits == nil {
		return nil
	}
	bySeed := make([][]float64, len(all))
	for i, s := range all {
		for _, d := range s.waits {
			bySeed[i] = append(bySeed[i], d.Seconds())
		}
	}
	p := newPool(bySeed)
	w := &Waits{Clients: len(p.all)}
	for _, q := range []struct {
		percent int
		to      *Estimate
	}{{50, &w.P50}, {90, &w.P90}, {99, &w.P99}} {
		*q.to = bootstrap(len(all), p.seeds(), func(times []int) float64 { return p.quantile(times, q.percent) })
	}
	if n := len(p.all); n > 0 {
		w.Max = p.all[n-1]
	}
	return w
}

// WriteWaits writes a CSV row for each wait: the clients of each judged seed in each place of the
// grid, by number.
func (t *Tally) WriteWaits(w io.Writer) error {
	c := csv.NewWriter(w)
	rows := [][]string{{"seed", "series", "x", "client", "wait_s"}}
	for place, p := range t.points {
		for _, s := range t.samples(place) {
			for i, d := range s.waits {
				rows = append(rows, []string{strconv.FormatUint(s.seed, 10), p.Series, number(p.X), strconv.Itoa(i + 1), fmt.Sprintf("%.6f", d.Seconds())})
			}
		}
	}
	return c.WriteAll(rows)
}

// heads and cells return the columns of the text table.
func (*Waits) heads() string {
	return "clients\tp50\t95 % by seed\tp90\t95 % by seed\tp99\t95 % by seed\tmax\t"
}

func (w *Waits) cells() string {
	s := strconv.Itoa(w.Clients) + "\t"
	for _, e := range []Estimate{w.P50, w.P90, w.P99} {
		s += seconds(e.Value) + "\t" + e.interval(seconds) + "\t"
	}
	return s + seconds(w.Max) + "\t"
}

// columns and row return the columns of the CSV file.
func (*Waits) columns() []string {
	all := []string{"clients"}
	for _, q := range []string{"p50", "p90", "p99"} {
		all = append(all, q+"_s", q+"_s_low", q+"_s_high")
	}
	return append(all, "max_s")
}

func (w *Waits) row() []string {
	all := []string{strconv.Itoa(w.Clients)}
	for _, e := range []Estimate{w.P50, w.P90, w.P99} {
		all = append(all, e.cells()...)
	}
	return append(all, fmt.Sprintf("%.6f", w.Max))
}

func seconds(s float64) string { return fmt.Sprintf("%.3f s", s) }
