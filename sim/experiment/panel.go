package experiment

import (
	"fmt"
	"math"
	"strings"
)

// panel is one field of a picture: a y axis, and the marks of each point.
type panel struct {
	caption string
	scale   scale
	marks   func(Point) []mark // none if nothing is known of the point
}

// mark is one number of a point. The line of a series goes through the first mark of each point.
type mark struct {
	Estimate
	shape shape
}

// shape is how a mark looks.
type shape int

const (
	disc shape = iota // filled
	ring
	dash // without an interval
)

// scale is a y axis: its ticks from low to high, the position of a value as a share of the height,
// and its text.
type scale struct {
	at    func(v float64) float64 // 0 to 1
	ticks []float64
	form  func(float64) string
}

// panels returns the panels of the experiment for these points.
func (t *Tally) panels(points []Point) []panel {
	all := []panel{sharePanel(points)}
	if t.e.Rate != nil {
		all = append(all, ratePanel(t.e.Rate, points))
	}
	if t.e.Waits != nil {
		all = append(all, waitPanel(t.e.Wait, points))
	}
	return all
}

func sharePanel(points []Point) panel {
	most := 0.0
	for _, p := range points {
		if p.Judged > 0 {
			most = max(most, p.High)
		}
	}
	return panel{"share of seeds, with 95 % confidence intervals", shares(most), func(p Point) []mark {
		if p.Judged == 0 {
			return nil
		}
		return []mark{{Estimate{p.Share, []float64{p.Low, p.High}}, disc}}
	}}
}

func ratePanel(r *Rate, points []Point) panel {
	most := 0.0
	for _, p := range points {
		most = max(most, p.Rate.highest())
	}
	return panel{r.Name + ", with 95 % intervals by seed", shares(most), func(p Point) []mark {
		if p.Judged == 0 {
			return nil
		}
		return []mark{{*p.Rate, disc}}
	}}
}

func waitPanel(what string, points []Point) panel {
	least, most := math.Inf(1), 0.0
	for _, p := range points {
		if p.Waits.Clients == 0 {
			continue
		}
		least, most = min(least, p.Waits.P50.lowest()), max(most, p.Waits.Max)
	}
	caption := what + ": disc 50 %, dash 90 %, ring 99 %, dash longest; 95 % intervals by seed"
	return panel{caption, decades(least, most), func(p Point) []mark {
		w := p.Waits
		if w.Clients == 0 {
			return nil
		}
		return []mark{{w.P50, disc}, {w.P99, ring}, {Estimate{Value: w.P90.Value}, dash}, {Estimate{Value: w.Max}, dash}}
	}}
}

func (e *Estimate) highest() float64 {
	if len(e.Interval) == 0 {
		return e.Value
	}
	return max(e.Value, e.Interval[1])
}

func (e *Estimate) lowest() float64 {
	if len(e.Interval) == 0 {
		return e.Value
	}
	return min(e.Value, e.Interval[0])
}

// shares returns an axis of shares, from 0 to a round share that is not below most.
func shares(most float64) scale {
	high, fraction := ceiling(most)
	s := scale{at: func(v float64) float64 { return min(v/high, 1) }}
	for i := range 6 {
		s.ticks = append(s.ticks, high*float64(i)/5)
	}
	s.form = func(v float64) string { return fmt.Sprintf("%.*f %%", fraction, 100*v) }
	return s
}

// ceiling returns a round share that is not below most, and how many digits a fifth of it needs in
// percent.
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

// decades returns a logarithmic axis of seconds, with whole decades around two waits.
func decades(least, most float64) scale {
	const shortest = 1e-6
	if math.IsInf(least, 0) {
		least, most = 0.001, 1
	}
	low := math.Floor(math.Log10(max(least, shortest)))
	high := max(math.Ceil(math.Log10(max(most, shortest))), low+1)
	s := scale{at: func(v float64) float64 {
		return min(max((math.Log10(max(v, shortest))-low)/(high-low), 0), 1)
	}}
	for e := low; e <= high; e++ {
		s.ticks = append(s.ticks, math.Pow(10, e))
	}
	s.form = func(v float64) string { return number(v) + " s" }
	return s
}

// panel draws a field with its axes, and all points in it.
func (p *plot) panel(t *Tally, f *panel, points []Point) {
	y := func(v float64) float64 { return p.base - f.scale.at(v)*panelHeight }
	p.text(left, p.base-panelHeight-6, "start", `fill="#666666" font-size="11"`, f.caption)
	for _, v := range f.scale.ticks {
		p.line(left, y(v), width-right, y(v), `stroke="#dddddd"`)
		p.text(left-8, y(v)+4, "end", "", f.scale.form(v))
	}
	for _, v := range p.xs {
		p.line(p.x(v), p.base, p.x(v), p.base+5, `stroke="black"`)
		p.text(p.x(v), p.base+20, "middle", "", number(v))
	}
	p.line(left, p.base-panelHeight, left, p.base, `stroke="black"`)
	p.line(left, p.base, width-right, p.base, `stroke="black"`)
	for i, name := range p.series {
		p.run(i, name, f, y, points)
	}
}

// run draws one series: a line through the first marks of its points, and all marks.
func (p *plot) run(i int, name string, f *panel, y func(float64) float64, points []Point) {
	colour := colours[i%len(colours)]
	var path []string
	var marks strings.Builder
	for _, pt := range points {
		if pt.Series != name {
			continue
		}
		x := p.shifted(pt.X, i)
		for n, m := range f.marks(pt) {
			if n == 0 {
				path = append(path, fmt.Sprintf("%.1f,%.1f", x, y(m.Value)))
			}
			m.draw(&marks, x, y, colour)
		}
	}
	fmt.Fprintf(p, `<polyline points="%s" fill="none" stroke="%s" stroke-opacity="0.5"/>`+"\n", strings.Join(path, " "), colour)
	p.WriteString(marks.String())
}

func (m *mark) draw(b *strings.Builder, x float64, y func(float64) float64, colour string) {
	if len(m.Interval) == 2 {
		low, high := y(m.Interval[0]), y(m.Interval[1])
		fmt.Fprintf(b, `<path d="M%.1f %.1fV%.1fM%.1f %.1fh6M%.1f %.1fh6" stroke="%s" fill="none"/>`+"\n", x, low, high, x-3, low, x-3, high, colour)
	}
	switch at := y(m.Value); m.shape {
	case disc:
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3.5" fill="%s"/>`+"\n", x, at, colour)
	case ring:
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3.5" fill="white" stroke="%s"/>`+"\n", x, at, colour)
	case dash:
		fmt.Fprintf(b, `<path d="M%.1f %.1fh9" stroke="%s" stroke-width="2" fill="none"/>`+"\n", x-4.5, at, colour)
	}
}
