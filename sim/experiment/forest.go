package experiment

import (
	"fmt"
	"io"
	"math"
)

// Measures of the picture of a comparison, in pixels.
const (
	forestTop  = 92
	forestRow  = 26
	forestEnd  = 60  // below the last row
	fieldLeft  = 300 // of the field in which differences are drawn
	fieldRight = 660
	forestWide = 940
)

// WriteSVG draws rows, the result of Compare: for each column the difference of B in percent of A,
// with its interval, and the numbers beside it. A column whose A is 0 has no mark. The picture
// names commit, which is "" if unknown, and refers to nothing outside of itself.
func (c *Comparison) WriteSVG(w io.Writer, rows []Compared, commit string) error {
	p := &plot{height: forestTop + forestEnd + forestRow*float64(len(rows))}
	all, whole := c.Pairs()
	fmt.Fprintf(p, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%.0f" viewBox="0 0 %d %.0f" font-family="sans-serif" font-size="12">`+"\n", forestWide, p.height, forestWide, p.height)
	fmt.Fprintf(p, `<rect width="%d" height="%.0f" fill="white"/>`+"\n", forestWide, p.height)
	const bold = `font-weight="bold"`
	p.text(16, 22, "start", bold, "A: "+clipped(c.names[A]))
	p.text(16, 40, "start", bold, "B: "+clipped(c.names[B]))
	p.text(16, 60, "start", `fill="#666666" font-size="11"`, "difference of B in percent of A, with 95 % intervals by seed")
	p.text(fieldLeft-10, 78, "end", bold, "A")
	p.text(fieldRight+20, 78, "start", bold, "B - A, and its interval")
	most := reach(rows)
	x := func(percent float64) float64 {
		return (fieldLeft+fieldRight)/2 + max(-1, min(1, percent/most))*(fieldRight-fieldLeft)/2
	}
	bottom := forestTop + forestRow*float64(len(rows))
	for _, v := range []float64{-most, -most / 2, 0, most / 2, most} {
		grey := `stroke="#dddddd"`
		if v == 0 {
			grey = `stroke="black"`
		}
		p.line(x(v), forestTop-8, x(v), bottom, grey)
		p.text(x(v), bottom+16, "middle", "", fmt.Sprintf("%+g %%", v))
	}
	for i := range rows {
		p.compared(&rows[i], forestTop+forestRow*(float64(i)+0.5), x)
	}
	if commit == "" {
		commit = "unknown"
	}
	p.text(forestWide/2, p.height-10, "middle", `fill="#666666" font-size="11"`, fmt.Sprintf("n = %d paired seeds, in %d of which nothing broke; commit %s", all, whole, commit))
	p.WriteString("</svg>\n")
	_, err := io.WriteString(w, p.String())
	return err
}

// compared draws one row.
func (p *plot) compared(r *Compared, y float64, x func(float64) float64) {
	p.text(16, y+4, "start", "", r.Name)
	p.text(fieldLeft-10, y+4, "end", "", r.known(A, r.column.Form.text))
	d, interval := r.difference()
	p.text(fieldRight+20, y+4, "start", "", fmt.Sprintf("%s  (%s) %s", d, interval, r.mark()))
	if !r.isRelative() {
		return
	}
	colour := "#666666"
	if r.Differs {
		colour = colours[1]
	}
	if ends := r.Difference.Interval; len(ends) == 2 {
		p.line(x(r.relative(ends[0])), y, x(r.relative(ends[1])), y, fmt.Sprintf(`stroke="%s" stroke-width="2"`, colour))
	}
	fmt.Fprintf(p, `<circle cx="%.1f" cy="%.1f" r="4" fill="%s"/>`+"\n", x(r.relative(r.Difference.Value)), y, colour)
}

// isRelative reports whether the difference can be given in percent of A.
func (r *Compared) isRelative() bool { return r.isKnown() && r.A.Value != 0 }

func (r *Compared) relative(v float64) float64 { return 100 * v / math.Abs(r.A.Value) }

// reach returns a round percentage that no difference and no end of an interval exceeds, but at
// most 1,000: longer intervals end at the border.
func reach(rows []Compared) float64 {
	most := 0.0
	for i := range rows {
		if r := &rows[i]; r.isRelative() {
			for _, v := range append([]float64{r.Difference.Value}, r.Difference.Interval...) {
				most = max(most, math.Abs(r.relative(v)))
			}
		}
	}
	for _, round := range []float64{2, 10, 20, 50, 100, 200, 500} {
		if most <= round {
			return round
		}
	}
	return 1000
}

// clipped shortens a name so that it fits into a line of the picture.
func clipped(s string) string {
	const most = 120
	if len(s) > most {
		return s[:most] + "..."
	}
	return s
}
