package plan

import (
	"github.com/chubbycell/chubby/internal/draw"
	"github.com/chubbycell/chubby/sim/scenario"
)

// Added reports whether the workload of the plan is one of the extension.
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

// drawWorkload draws a built-in workload. If there is an extension with workloads, it returns one
// of them half of the time; the built-in workload is drawn all the same, so that other draws do not
// change.
func drawWorkload(x *scenario.Extension, at func(string) *draw.Stream) string {
	drawn := WorkloadKinds[:len(WorkloadKinds)-2] // the last two, Cached and Registry, have draws of their own
	name := drawn[at("workload").Int(len(drawn))].Name
	if at("workload.cached").Chance(1, 8) {
		name = Cached
	}
	if at("registry").Chance(1, 16) {
		name = Registry
	}
	if x == nil || len(x.Workloads) == 0 {
		return name
	}
	if d := at("workload.added"); d.Chance(1, 2) {
		return x.Workloads[d.Int(len(x.Workloads))].Name()
	}
	return name
}
