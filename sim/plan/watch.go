package plan

import (
	"time"

	"github.com/chubbycell/chubby/internal/draw"
)

// WatchPlan shapes which handles hear of events, and how soon their programs take them.
type WatchPlan struct {
	Share uint64        // of four handles, how many ask for events; 0: none does
	Slow  time.Duration // a slow program waits at most so long in front of each event
}

// watch draws what clients want to hear of, and how little the master keeps for them. In a cell
// without leases nothing could bring events; a few ask for some all the same.
func (p *Plan) watch(at func(string) *draw.Stream) {
	d := at("watch")
	if !OnNodes(p.Workload) || !d.Chance(1, 2) || p.Driver.Core.Sessions.LeaseMin == 0 && !d.Chance(1, 8) {
		return
	}
	p.Watch = WatchPlan{Share: uint64(d.Between(1, 4)), Slow: time.Duration(d.LogUniform(int64(time.Millisecond), int64(10*time.Second)))}
	e := &p.Driver.Core.NodeOps.Events
	e.PerNode, e.PerSession, e.PerAnswer = int(d.LogUniform(1, 64)), int(d.LogUniform(1, 256)), int(d.LogUniform(1, 64))
}
