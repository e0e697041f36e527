package plan

import (
	"time"

	"github.com/chubbycell/chubby/internal/draw"
)

// HostilePlan is a client that means harm: it keeps to no protocol.
type HostilePlan struct {
	Gap time.Duration // between two requests, on average; 0: there is none
	// Flood is how often, of a thousand turns, it sends as many copies of what it sent as replicas
	// keep, and more, at one time.
	Flood uint64
}

// hostile puts one into one cell of three, but for those with a resource outside of
// them, which measure something else.
func (p *Plan) hostile(at func(string) *draw.Stream) {
	if d := at("hostile"); d.Chance(1, 3) && p.Workload != Fenced {
		p.Hostile.Gap = time.Duration(d.LogUniform(int64(20*time.Millisecond), int64(400*time.Millisecond)))
		if f := at("hostile.flood"); p.Busy > 0 && f.Chance(1, 2) {
			p.Hostile.Flood = uint64(f.LogUniform(1, 20))
		}
	}
}
