package experiment

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Measures of the picture, in pixels.
const (
	width, height = 760, 460
	left, right   = 80, 20
	top, bottom   = 60, 70
)

// colours are told apart by people who see few of them, and in grey.
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"}

// plot is a picture under way.
type plot struct {
	strings.Builder
	xs       []float64 // ticks, ascending
	even     bool
	lo, hi   float64 // of the x axis
	ceiling  float64 // of the y axis, a share
	dodge    float64 // pixels between series at one x
	nSeries  int
	fraction int // digits of y ticks, in percent
}

// WriteSVG draws the points: a line for each series, with the 95 % interval of
// each point.
func (t *Tally) WriteSVG(w io.Writer) error {
	p := newPlot(t)
	p.frame(t)
	for i, name := range t.e.Series() {
		p.series(i, name, t.points)
	}
	p.WriteString("</svg>\n")
	_, err := io.WriteString(w, p.String())
	return err
}

func newPlot(t *Tally) *plot {
	p := &plot{even: t.e.Even, nSeries: len(t.e.Series()), dodge: 5}
	most := 0.0
	for _, pt := range t.points {
		if !slices.Contains(p.xs, pt.X) {
			p.xs = append(p.xs, pt.X)
		}
		if pt.Judged > 0 {
			most = max(most, pt.High)
		}
	}
	slices.Sort(p.xs)
	p.ceiling, p.fraction = ceiling(most)
	p.lo, p.hi = p.place(p.xs[0]), p.place(p.xs[len(p.xs)-1])
	margin := (p.hi - p.lo) * 0.06
	if margin == 0 {
		margin = 1
	}
	p.lo, p.hi = p.lo-margin, p.hi+margin
	return p
}

// ceiling is a round share that is not below most, and the digits that a fifth
// of it needs in percent.
func ceiling(most float64) (share float64, digits int) {
	for exp := -4; exp < 0; exp++ {
		for _, mantissa := range []float64{1, 2, 5} {
			if share = mantissa * math.Pow(10, float64(exp)); most <= share {
				return share, max(0, -exp-1)
			}
		}
	}
	return 1, 0
}

// place is where a value lies on the x axis, before it is scaled.
func (p *plot) place(x float64) float64 {
	if p.even {
		return float64(slices.Index(p.xs, x))
	}
	return x
}

func (p *plot) x(v float64) float64 {
	return left + (p.place(v)-p.lo)/(p.hi-p.lo)*(width-left-right)
}

func (p *plot) y(share float64) float64 {
	return top + (1-min(share/p.ceiling, 1))*(height-top-bottom)
}

func (p *plot) line(x1, y1, x2, y2 float64, style string) {
	fmt.Fprintf(p, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" %s/>`+"\n", x1, y1, x2, y2, style)
}

func (p *plot) text(x, y float64, anchor, more, text string) {
	fmt.Fprintf(p, `<text x="%.1f" y="%.1f" text-anchor="%s" %s>`, x, y, anchor, more)
	xml.EscapeText(p, []byte(text)) // a Builder never fails
	p.WriteString("</text>\n")
}

// frame draws title, axes, ticks and what they mean.
func (p *plot) frame(t *Tally) {
	fmt.Fprintf(p, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", width, height, width, height)
	fmt.Fprintf(p, `<rect width="%d" height="%d" fill="white"/>`+"\n", width, height)
	p.text(left, 22, "start", `font-size="14" font-weight="bold"`, t.e.Name+": "+t.e.Event)
	for i := range 6 {
		share := p.ceiling * float64(i) / 5
		y := p.y(share)
		p.line(left, y, width-right, y, `stroke="#dddddd"`)
		p.text(left-8, y+4, "end", "", fmt.Sprintf("%.*f %%", p.fraction, 100*share))
	}
	for _, v := range p.xs {
		p.line(p.x(v), height-bottom, p.x(v), height-bottom+5, `stroke="black"`)
		p.text(p.x(v), height-bottom+20, "middle", "", number(v))
	}
	p.line(left, top, left, height-bottom, `stroke="black"`)
	p.line(left, height-bottom, width-right, height-bottom, `stroke="black"`)
	p.text((left+width-right)/2, height-bottom+42, "middle", "", t.e.Axis)
	p.text((left+width-right)/2, height-8, "middle", `fill="#666666" font-size="11"`, "share of seeds, with 95 % confidence intervals")
}

// legend is where the name of a series stands: three fit in a row.
func (p *plot) legend(i int) (x, y float64) {
	const inRow, line = 3, 14
	rows := (p.nSeries + inRow - 1) / inRow
	return float64(left + i%inRow*180), 42 - float64(rows-1)*line/2 + float64(i/inRow*line)
}

// series draws one line with its points, and its name in the legend.
func (p *plot) series(i int, name string, points []Point) {
	colour := colours[i%len(colours)]
	shift := (float64(i) - float64(p.nSeries-1)/2) * p.dodge
	var path []string
	var marks strings.Builder
	for _, pt := range points {
		if pt.Series != name || pt.Judged == 0 {
			continue
		}
		x := p.x(pt.X) + shift
		path = append(path, fmt.Sprintf("%.1f,%.1f", x, p.y(pt.Share)))
		fmt.Fprintf(&marks, `<path d="M%.1f %.1fV%.1fM%.1f %.1fh6M%.1f %.1fh6" stroke="%s" fill="none"/>`+"\n",
			x, p.y(pt.Low), p.y(pt.High), x-3, p.y(pt.Low), x-3, p.y(pt.High), colour)
		fmt.Fprintf(&marks, `<circle cx="%.1f" cy="%.1f" r="3.5" fill="%s"/>`+"\n", x, p.y(pt.Share), colour)
	}
	fmt.Fprintf(p, `<polyline points="%s" fill="none" stroke="%s" stroke-opacity="0.5"/>`+"\n", strings.Join(path, " "), colour)
	p.WriteString(marks.String())
	at, y := p.legend(i)
	p.line(at, y, at+20, y, fmt.Sprintf(`stroke="%s" stroke-width="2"`, colour))
	p.text(at+26, y+4, "start", "", name)
}
