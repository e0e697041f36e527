package plan

import (
	"time"

	"github.com/chubbycell/chubby/internal/draw"
)

// HostilePlan describes the hostile client, which keeps to no protocol.
type HostilePlan struct {
	Gap time.Duration // between two requests, on average; 0: there is none
	// Flood is in how many of a thousand turns it sends, all at once, copies of its earlier
	// requests, up to twice as many as the inbox of a replica holds.
	Flood uint64
}

// hostile draws a hostile client for one cell of three, except cells with a resource outside, which
// measure something else.
func (p *Plan) hostile(at func(string) *draw.Stream) {
	if d := at("hostile"); d.Chance(1, 3) && p.Workload != Fenced {
		p.Hostile.Gap = time.Duration(d.LogUniform(int64(20*time.Millisecond), int64(400*time.Millisecond)))
		if f := at("hostile.flood"); p.Busy > 0 && f.Chance(1, 2) {
			p.Hostile.Flood = uint64(f.LogUniform(1, 20))
		}
	}
}
