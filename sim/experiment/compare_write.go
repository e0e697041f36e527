package experiment

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
)

// known returns the number of one side as text, or "-" if the side has no values.
func (r *Compared) known(side Side, form func(float64) string) string {
	if r.Values[side] == 0 {
		return "-"
	}
	return form([]Estimate{r.A, r.B}[side].Value)
}

// difference returns the difference and its interval as text.
func (r *Compared) difference() (value, interval string) {
	if !r.isKnown() {
		return "-", cmp.Or(r.NoInterval, "-")
	}
	form := r.column.Form.text
	if r.NoInterval != "" {
		return form(r.Difference.Value), r.NoInterval
	}
	return form(r.Difference.Value), r.Difference.interval(form)
}

// mark returns the mark of a row whose difference is more than chance.
func (r *Compared) mark() string {
	if r.Differs {
		return "*"
	}
	return ""
}

// WriteTable writes rows, the result of Compare, as a text table.
func (c *Comparison) WriteTable(w io.Writer, rows []Compared) error {
	all, whole := c.Pairs()
	_, err := fmt.Fprintf(w, "A: %s\nB: %s\n%d paired seeds; in %d of them nothing broke on either side\n\n", c.names[A], c.names[B], all, whole)
	if err != nil {
		return err
	}
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(tab, "\tA\tB\tB - A\t95 % by seed\t\tseeds\tvalues of A\tof B\t\n") // the error is that of Flush
	for i := range rows {
		r := &rows[i]
		d, interval := r.difference()
		fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t\n", r.Name, r.known(A, r.column.Form.text), r.known(B, r.column.Form.text), d, interval, r.mark(), r.Pairs, r.Values[A], r.Values[B])
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	last := "\n* the interval of the difference leaves out 0\n"
	if all < fewest {
		last = fmt.Sprintf("\ntoo few seeds: below %d pairs no difference can be told from chance, and none has a star\n", fewest)
	}
	_, err = fmt.Fprint(w, last)
	return err
}

// WriteCSV writes a row for each complete pair. For each column it has the mean, or the quantile,
// of the values of this seed on each side, or nothing if there are none.
func (c *Comparison) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	head := []string{"seed", "a_broke", "b_broke"}
	for _, col := range c.columns {
		head = append(head, underscored(col.Name)+"_a", underscored(col.Name)+"_b")
	}
	rows := [][]string{head}
	for _, p := range c.all() {
		row := []string{strconv.FormatUint(p[A].Seed, 10), p[A].Broke, p[B].Broke}
		for _, col := range c.columns {
			for _, s := range p {
				row = append(row, col.cell(s))
			}
		}
		rows = append(rows, row)
	}
	return out.WriteAll(rows)
}

// cell returns the number of a column for one sample, as text.
func (col Column) cell(s *Sample) string {
	if len(s.Values[col.Of]) == 0 || s.Broke != "" && !col.Always {
		return ""
	}
	return strconv.FormatFloat(col.of(newPool([][]float64{s.Values[col.Of]}), []int{1}), 'g', 9, 64)
}
