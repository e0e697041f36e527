package swarm

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/sim/experiment"
)

// Measures of the picture, in pixels: a field for each resource, one below the other, then the
// costs.
const (
	pictureLeft = 110 // of cells
	cellWide    = 104
	cellHigh    = 24
	fieldHead   = 52 // title and names of faults above the cells
	fieldGap    = 22
	pictureTop  = 44
	pictureEnd  = 34
)

// picture is an SVG under way.
type picture struct {
	strings.Builder
	y float64
}

// field is a part of the picture: the share of each row that it shows.
type field struct {
	title string
	share func(r *Row) *experiment.Share
}

var fields = []field{
	{"updates lost: no check", func(r *Row) *experiment.Share { return r.Lost }},
	{"updates lost: write-check", func(r *Row) *experiment.Share { return r.Write }},
	{"updates lost: read-and-write check", func(r *Row) *experiment.Share { return r.Read }},
	{"the latest holder refused: read-and-write check", func(r *Row) *experiment.Share { return r.Refused }},
}

// WriteSVG draws the rows and the costs of a table in one picture: the share of seeds, by system and
// fault, for each resource. size says what it is made of. It refers to nothing outside of itself.
func WriteSVG(w io.Writer, rows []Row, costs []Cost, size string) error {
	systems, faults := namesOf(rows)
	p := &picture{y: pictureTop}
	wide := pictureLeft + cellWide*max(len(faults), 6) + 20
	high := pictureTop + pictureEnd + len(fields)*(fieldHead+fieldGap+cellHigh*len(systems))
	if len(costs) > 0 {
		high += fieldHead + fieldGap + cellHigh*len(costs)
	}
	fmt.Fprintf(p, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", wide, high, wide, high)
	fmt.Fprintf(p, `<rect width="%d" height="%d" fill="white"/>`+"\n", wide, high)
	p.text(16, 24, "start", `font-size="14" font-weight="bold"`, "Lock systems under faults: share of seeds")
	for i := range fields {
		p.field(&fields[i], systems, faults, rows)
	}
	p.costs(costs)
	p.text(16, float64(high)-12, "start", `fill="#666666" font-size="11"`, size+"; -: no token, or one server that stands for a cluster")
	p.WriteString("</svg>\n")
	_, err := io.WriteString(w, p.String())
	return err
}

// namesOf are the systems and the faults of rows, in their order.
func namesOf(rows []Row) (systems, faults []string) {
	for i := range rows {
		if r := &rows[i]; !slices.Contains(systems, r.System) {
			systems = append(systems, r.System)
		}
	}
	for _, f := range Faults() {
		if slices.ContainsFunc(rows, func(r Row) bool { return r.Fault == f.Name }) {
			faults = append(faults, f.Name)
		}
	}
	return systems, faults
}

func (p *picture) text(x, y float64, anchor, more, text string) {
	fmt.Fprintf(p, `<text x="%.0f" y="%.0f" text-anchor="%s" %s>`, x, y, anchor, more)
	xml.EscapeText(p, []byte(text)) // a Builder never fails
	p.WriteString("</text>\n")
}

// field draws one resource.
func (p *picture) field(f *field, systems, faults []string, rows []Row) {
	p.text(16, p.y+18, "start", `font-weight="bold"`, f.title)
	for i, name := range faults {
		p.text(cellMiddle(i), p.y+40, "middle", "", name)
	}
	p.y += fieldHead
	for _, system := range systems {
		p.text(pictureLeft-10, p.y+16, "end", "", system)
		for i, fault := range faults {
			at := slices.IndexFunc(rows, func(r Row) bool { return r.System == system && r.Fault == fault })
			if at < 0 {
				p.cell(i, nil)
			} else {
				p.cell(i, f.share(&rows[at]))
			}
		}
		p.y += cellHigh
	}
	p.y += fieldGap
}

func cellMiddle(column int) float64 { return pictureLeft + (float64(column)+0.5)*cellWide }

// cell draws a share: the larger, the darker.
func (p *picture) cell(column int, s *experiment.Share) {
	text, fill, ink := "-", `fill="#eeeeee"`, `fill="#666666"`
	if s != nil {
		text, ink = fmt.Sprintf("%.0f %%", 100*s.Share), `fill="black"`
		fill = fmt.Sprintf(`fill="#d55e00" fill-opacity="%.2f"`, s.Share)
	}
	fmt.Fprintf(p, `<rect x="%d" y="%.0f" width="%d" height="%d" %s stroke="white"/>`+"\n", pictureLeft+column*cellWide, p.y, cellWide, cellHigh, fill)
	p.text(cellMiddle(column), p.y+16, "middle", ink, text)
}

// costs draws the second table.
func (p *picture) costs(all []Cost) {
	if len(all) == 0 {
		return
	}
	p.text(16, p.y+18, "start", `font-weight="bold"`, "without faults, and after the crash of a holder")
	for i, name := range []string{"messages a lock", "hand-off", "without holder", "longest", "never free again"} {
		p.text(cellMiddle(i), p.y+40, "middle", "", name)
	}
	p.y += fieldHead
	for _, c := range all {
		gap, longest := fmt.Sprintf("%.1f s", c.Gap.Value), fmt.Sprintf("%.1f s", c.Longest)
		if c.Never == c.Crashes {
			gap, longest = "-", "-"
		}
		p.text(pictureLeft-10, p.y+16, "end", "", c.System)
		for i, text := range []string{
			fmt.Sprintf("%.1f", c.Messages.Value), fmt.Sprintf("%.3f s", c.HandOff.Value), gap, longest, fmt.Sprintf("%d of %d", c.Never, c.Crashes),
		} {
			p.text(cellMiddle(i), p.y+16, "middle", "", text)
		}
		p.y += cellHigh
	}
}
