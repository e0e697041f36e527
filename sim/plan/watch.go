package plan

import (
	"time"

	"github.com/chubbycell/chubby/internal/draw"
)

// WatchPlan describes which handles ask for events, and how soon their programs take them.
type WatchPlan struct {
	Share uint64        // how many of four handles ask for events
	Slow  time.Duration // how long a slow program waits at most before it takes an event
}

// watch draws which events clients ask for, and how few of them a master keeps. Cells whose programs
// use nodes have session leases, whose KeepAlives carry the events.
func (p *Plan) watch(at func(string) *draw.Stream) {
	d := at("watch")
	if !OnNodes(p.Workload) {
		return
	}
	if !d.Chance(1, 2) {
		if p.Workload == Registry { // its watchers always ask for events
			p.Watch = WatchPlan{Share: 1, Slow: 10 * time.Millisecond}
		}
		return
	}
	p.Watch = WatchPlan{Share: uint64(d.Between(1, 4)), Slow: time.Duration(d.LogUniform(int64(time.Millisecond), int64(10*time.Second)))}
	e := &p.Driver.Core.NodeOps.Events
	e.PerNode, e.PerSession, e.PerAnswer = int(d.LogUniform(1, 64)), int(d.LogUniform(1, 256)), int(d.LogUniform(1, 64))
}
