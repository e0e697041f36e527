package experiment

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Measures of the picture, in pixels. Panels are one below the other.
const (
	width       = 760
	left, right = 80, 20
	top, bottom = 82, 78 // of the picture
	panelHeight = 330    // of the field of a panel
	panelGap    = 62     // between two fields, for ticks and a title
	lineHeight  = 14     // of the legend
)

// colours can be distinguished by colour-blind readers, and in grey.
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#8c564b", "#999999", "#7f3fbf"}

// plot is a picture under way.
type plot struct {
	strings.Builder
	xs     []float64 // ticks, ascending
	even   bool
	lo, hi float64 // of the x axis
	series []string
	height float64
	base   float64 // y of the bottom of the present panel
}

// WriteSVG draws the points, with a line for each series: the share of seeds with its interval, and
// below it the rate of events or the waits, if the experiment has any. The picture names the number
// of seeds, and commit, which is "" if unknown. It refers to nothing outside of itself.
func (t *Tally) WriteSVG(w io.Writer, commit string) error {
	points := t.Points()
	p := newPlot(t)
	panels := t.panels(points)
	p.height = top + bottom + panelHeight*float64(len(panels)) + panelGap*float64(len(panels)-1)
	p.open(t)
	for i := range panels {
		p.base = top + panelHeight + float64(i)*(panelHeight+panelGap)
		p.panel(t, &panels[i], points)
	}
	p.close(t, commit)
	_, err := io.WriteString(w, p.String())
	return err
}

func newPlot(t *Tally) *plot {
	p := &plot{even: t.e.Even, series: t.e.Series(), xs: t.e.Places()}
	slices.Sort(p.xs)
	p.lo, p.hi = p.place(p.xs[0]), p.place(p.xs[len(p.xs)-1])
	margin := (p.hi - p.lo) * 0.06
	if margin == 0 {
		margin = 1
	}
	p.lo, p.hi = p.lo-margin, p.hi+margin
	return p
}

// place returns the position of a value on the x axis, before scaling.
func (p *plot) place(x float64) float64 {
	if p.even {
		return float64(slices.Index(p.xs, x))
	}
	return x
}

func (p *plot) x(v float64) float64 {
	return left + (p.place(v)-p.lo)/(p.hi-p.lo)*(width-left-right)
}

// shifted returns x for a series, moved a little so that points of several series at one place are
// side by side.
func (p *plot) shifted(v float64, series int) float64 {
	dodge := min(7, 36/float64(len(p.series)))
	return p.x(v) + (float64(series)-float64(len(p.series)-1)/2)*dodge
}

func (p *plot) line(x1, y1, x2, y2 float64, style string) {
	fmt.Fprintf(p, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" %s/>`+"\n", x1, y1, x2, y2, style)
}

func (p *plot) text(x, y float64, anchor, more, text string) {
	fmt.Fprintf(p, `<text x="%.1f" y="%.1f" text-anchor="%s" %s>`, x, y, anchor, more)
	xml.EscapeText(p, []byte(text)) // a Builder never fails
	p.WriteString("</text>\n")
}

// open draws what is above the panels.
func (p *plot) open(t *Tally) {
	fmt.Fprintf(p, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%.0f" viewBox="0 0 %d %.0f" font-family="sans-serif" font-size="12">`+"\n", width, p.height, width, p.height)
	fmt.Fprintf(p, `<rect width="%d" height="%.0f" fill="white"/>`+"\n", width, p.height)
	p.text(left, 22, "start", `font-size="14" font-weight="bold"`, t.e.Name+": "+t.e.Event)
	for i, name := range p.series {
		x, y := p.legend(i)
		p.line(x, y, x+20, y, fmt.Sprintf(`stroke="%s" stroke-width="2"`, colours[i%len(colours)]))
		p.text(x+26, y+4, "start", "", name)
	}
}

// legend returns the position of the name of a series. Three fit in a row, or five if names are
// short.
func (p *plot) legend(i int) (x, y float64) {
	inRow, column := 3, 180
	if len(p.series) > 6 && !slices.ContainsFunc(p.series, func(name string) bool { return len(name) > 12 }) {
		inRow, column = 5, 130
	}
	rows := (len(p.series) + inRow - 1) / inRow
	return float64(left + i%inRow*column), 42 - float64(rows-1)*lineHeight/2 + float64(i/inRow*lineHeight)
}

// close draws what is below the panels: the axis, the number of seeds and the commit.
func (p *plot) close(t *Tally, commit string) {
	if commit == "" {
		commit = "unknown"
	}
	p.text((left+width-right)/2, p.base+40, "middle", "", t.e.Axis)
	p.text((left+width-right)/2, p.height-10, "middle", `fill="#666666" font-size="11"`, t.size()+"; commit "+commit)
	p.WriteString("</svg>\n")
}

// size returns, as text, how many seeds the points are made of.
func (t *Tally) size() string {
	ran, judged := spread{}, spread{}
	for i, p := range t.points {
		ran.add(i, p.Seeds)
		judged.add(i, p.Judged)
	}
	text := "n = " + ran.String() + " seeds in each place"
	if judged != ran {
		text += ", of which " + judged.String() + " judged"
	}
	return text
}

// spread is the smallest and the largest of some counts.
type spread struct{ least, most int }

func (s *spread) add(i, n int) {
	if i == 0 {
		s.least, s.most = n, n
	}
	s.least, s.most = min(s.least, n), max(s.most, n)
}

// String returns one number if all counts are equal.
func (s spread) String() string {
	if s.least == s.most {
		return fmt.Sprint(s.least)
	}
	return fmt.Sprintf("%d to %d", s.least, s.most)
}
