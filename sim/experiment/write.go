package experiment

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/chubbycell/chubby/sim/cell"
)

// File is a file of an experiment or a comparison.
type File struct {
	Name  string
	Write func(io.Writer) error
}

// Files returns the files of the experiment, in a fixed order: NAME.csv, NAME-seeds.csv, -sums and
// -waits if there are any, and the picture NAME.svg, which names commit ("": unknown).
func (t *Tally) Files(commit string) []File {
	name := t.e.Name
	all := []File{{name + ".csv", t.WriteCSV}, {name + "-seeds.csv", t.WriteSeeds}}
	if len(t.e.sums(&cell.Result{})) > 0 {
		all = append(all, File{name + "-sums.csv", t.WriteSums})
	}
	if t.e.Waits != nil {
		all = append(all, File{name + "-waits.csv", t.WriteWaits})
	}
	return append(all, File{name + ".svg", func(w io.Writer) error { return t.WriteSVG(w, commit) }})
}

// WriteTable writes the points as a text table.
func (t *Tally) WriteTable(w io.Writer) error {
	title := t.e.Event
	if t.e.Wait != "" {
		title += "; behind it the " + t.e.Wait
	}
	if _, err := fmt.Fprintf(w, "%s\n\n", title); err != nil {
		return err
	}
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := ""
	for _, n := range t.e.sums(&cell.Result{}) {
		head += n.Name + "\t"
	}
	if t.e.Rate != nil {
		head += t.e.Rate.Name + "\t95 % by seed\t"
	}
	if t.e.Waits != nil {
		head += (*Waits).heads(nil)
	}
	if _, err := fmt.Fprintf(tab, "series\t%s\tseeds\tjudged\tevents\tshare\t95 %% interval\tfirst after\t%s\n", t.e.Axis, head); err != nil {
		return err
	}
	for _, p := range t.Points() {
		first := "none"
		if p.After > 0 {
			first = strconv.Itoa(p.After)
		}
		sums := ""
		for _, n := range p.Sums {
			sums += strconv.FormatUint(n.Value, 10) + "\t"
		}
		if p.Rate != nil {
			sums += percent(p.Rate.Value) + "\t" + p.Rate.interval(percent) + "\t"
		}
		if p.Waits != nil {
			sums += p.Waits.cells()
		}
		_, err := fmt.Fprintf(tab, "%s\t%s\t%d\t%d\t%d\t%s\t%s to %s\t%s\t%s\n",
			p.Series, number(p.X), p.Seeds, p.Judged, p.Hits, percent(p.Share), percent(p.Low), percent(p.High), first, sums)
		if err != nil {
			return err
		}
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	return errors.Join(t.writeNoted(w), t.writeOthers(w))
}

// writeNoted writes the properties that broke in seeds that were judged all the same.
func (t *Tally) writeNoted(w io.Writer) error {
	var b strings.Builder
	for _, p := range t.points {
		for _, n := range p.Noted {
			fmt.Fprintf(&b, "  %s %s: %s in %d of %d, first in seed %d\n", p.Series, number(p.X), n.Property, n.Seeds, p.Seeds, n.First)
		}
	}
	if b.Len() == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "\nnoted, and not judged: seeds in which other properties broke\n%s", b.String())
	return err
}

func (t *Tally) writeOthers(w io.Writer) error {
	if len(t.others) == 0 {
		return nil
	}
	void := 0
	for _, p := range t.points {
		void += p.Seeds - p.Judged
	}
	if _, err := fmt.Fprintf(w, "\n%d not judged: something else ended them, the first of them\n", void); err != nil {
		return err
	}
	for _, o := range t.others {
		if _, err := fmt.Fprintf(w, "  seed %d, %s %s: %s\n", o.Seed, o.Series, number(o.X), strings.TrimSpace(o.Property+" "+o.Text)); err != nil {
			return err
		}
	}
	return nil
}

// interval returns the interval as text.
func (e *Estimate) interval(form func(float64) string) string {
	if len(e.Interval) == 0 {
		return "unknown"
	}
	return form(e.Interval[0]) + " to " + form(e.Interval[1])
}

// cells returns the value and its interval as three cells of a CSV file.
func (e *Estimate) cells() []string {
	row := []string{fmt.Sprintf("%.6f", e.Value), "", ""}
	for i, v := range e.Interval {
		row[1+i] = fmt.Sprintf("%.6f", v)
	}
	return row
}

func percent(f float64) string { return fmt.Sprintf("%.2f %%", 100*f) }

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// WriteCSV writes the points, one in each row.
func (t *Tally) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	head := []string{"experiment", "series", "x", "seeds", "judged", "hits", "share", "low", "high", "first_seed", "first_after"}
	for _, n := range t.e.sums(&cell.Result{}) {
		head = append(head, underscored(n.Name))
	}
	if r := t.e.Rate; r != nil {
		head = append(head, underscored(r.Name), underscored(r.Name)+"_low", underscored(r.Name)+"_high")
	}
	if t.e.Waits != nil {
		head = append(head, (*Waits).columns(nil)...)
	}
	rows := [][]string{head}
	for _, p := range t.Points() {
		first, after := "", ""
		if p.After > 0 {
			first, after = strconv.FormatUint(p.First, 10), strconv.Itoa(p.After)
		}
		row := []string{
			t.e.Name, p.Series, number(p.X), strconv.Itoa(p.Seeds), strconv.Itoa(p.Judged), strconv.Itoa(p.Hits),
			fmt.Sprintf("%.6f", p.Share), fmt.Sprintf("%.6f", p.Low), fmt.Sprintf("%.6f", p.High), first, after,
		}
		for _, n := range p.Sums {
			row = append(row, strconv.FormatUint(n.Value, 10))
		}
		if p.Rate != nil {
			row = append(row, p.Rate.cells()...)
		}
		if p.Waits != nil {
			row = append(row, p.Waits.row()...)
		}
		rows = append(rows, row)
	}
	return c.WriteAll(rows)
}

// WriteSeeds writes a CSV row for each seed with its verdict in each place of the grid, for tests
// of paired seeds: 1 for the event, 0 for none, nothing if the seed was not judged.
func (t *Tally) WriteSeeds(w io.Writer) error {
	c := csv.NewWriter(w)
	head := []string{"seed"}
	for _, p := range t.points {
		head = append(head, p.Series+" "+number(p.X))
	}
	rows := [][]string{head}
	for i, seed := range t.seeds {
		row := []string{strconv.FormatUint(seed, 10)}
		for _, v := range t.rows[i] {
			row = append(row, v.digit())
		}
		rows = append(rows, row)
	}
	return c.WriteAll(rows)
}

// WriteSums writes a CSV row for each judged seed in each place of the grid, with the sums of that
// seed, from which the intervals of rates are computed.
func (t *Tally) WriteSums(w io.Writer) error {
	c := csv.NewWriter(w)
	head := []string{"seed", "series", "x", "event"}
	for _, n := range t.e.sums(&cell.Result{}) {
		head = append(head, underscored(n.Name))
	}
	rows := [][]string{head}
	for place, p := range t.points {
		for _, s := range t.samples(place) {
			row := []string{strconv.FormatUint(s.seed, 10), p.Series, number(p.X), s.verdict.digit()}
			for _, n := range s.sums {
				row = append(row, strconv.FormatUint(n.Value, 10))
			}
			rows = append(rows, row)
		}
	}
	return c.WriteAll(rows)
}

func underscored(name string) string { return strings.ReplaceAll(name, " ", "_") }

// digit returns a verdict as it stands in a CSV file.
func (v Verdict) digit() string { return map[Verdict]string{Miss: "0", Hit: "1"}[v] }
