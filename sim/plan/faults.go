package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chubbycell/chubby/internal/draw"
	"github.com/chubbycell/chubby/sim/scenario"
)

// FaultPlan is one kind of fault that is on.
type FaultPlan struct {
	Name string
	Mean time.Duration // between strikes
}

// ParseFaults parses the value of --faults: swarm, none, all, or names separated by commas. It
// returns Options.Faults. All kinds that are named share the rate of strikes that a seed draws, as
// the kinds of a swarm do.
func ParseFaults(s string, with *scenario.Extension) ([]string, error) {
	switch s {
	case "", "swarm":
		return nil, nil
	case "none":
		return []string{}, nil
	case "all":
		return everyFault(with), nil
	}
	names := strings.Split(s, ",")
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
		if err := faultNamed(names[i], with); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// faults switches each kind on or off with even chances. A seed has one total rate of strikes, from
// one in four seconds to three in one second. The kinds share it by drawn weights, because many
// kinds at full rate would hide each other.
func (p *Plan) faults(asked []string, at func(string) *draw.Stream) {
	on, weight := at("faults.on"), at("faults.weight")
	var weights []int64
	var sum int64
	for _, f := range Faults(p.With) {
		use, w := on.Chance(1, 2), weight.LogUniform(1, 32)
		if asked != nil {
			use = slices.Contains(asked, f.Name)
		}
		if use {
			p.Faults = append(p.Faults, FaultPlan{Name: f.Name})
			weights = append(weights, w)
			sum += w
		}
	}
	gap := at("faults.gap").LogUniform(int64(300*time.Millisecond), int64(4*time.Second))
	for i, w := range weights {
		p.Faults[i].Mean = time.Duration(gap * sum / w)
	}
	if at("faults.lull").Chance(1, 2) {
		p.Lull = at("faults.lull-length").Duration(2*time.Second, 15*time.Second)
	}
}

// everyFault returns the names of all kinds of faults, in their order.
func everyFault(with *scenario.Extension) []string {
	var all []string
	for _, f := range Faults(with) {
		all = append(all, f.Name)
	}
	return all
}

// faultNamed returns an error if there is no kind of fault with this name.
func faultNamed(name string, with *scenario.Extension) error {
	if !slices.Contains(everyFault(with), name) {
		return fmt.Errorf("unknown fault %q; `sim list` names them all", name)
	}
	return nil
}
