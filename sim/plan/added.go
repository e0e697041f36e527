package plan

import (
	"github.com/chubbycell/chubby/internal/draw"
	"github.com/chubbycell/chubby/sim/scenario"
)

// Added says whether a workload is one of an extension.
func (p *Plan) Added() bool {
	if p.With == nil {
		return false
	}
	for _, w := range p.With.Workloads {
		if w.Name() == p.Workload {
			return true
		}
	}
	return false
}

// drawWorkload draws one of the workloads that are built in, or half of the time one of
// the extension, so that what others draw is not moved.
func drawWorkload(x *scenario.Extension, at func(string) *draw.Stream) string {
	drawn := WorkloadKinds[:len(WorkloadKinds)-1] // Cached is drawn by itself
	name := drawn[at("workload").Int(len(drawn))].Name
	if at("workload.cached").Chance(1, 8) {
		name = Cached
	}
	if x == nil || len(x.Workloads) == 0 {
		return name
	}
	if d := at("workload.added"); d.Chance(1, 2) {
		return x.Workloads[d.Int(len(x.Workloads))].Name()
	}
	return name
}
