package swarm

import (
	"slices"

	"github.com/chubbycell/chubby/sim/lab"
)

// Place is what runs with the same seeds as every other place: a system, a fault, and how the
// resource guards itself.
type Place struct {
	System *lab.System
	Fault  Fault
	Guard  lab.Variant
}

// The resources that are compared.
var (
	noGuard    = lab.Variant{Name: "no check", Guard: lab.NoGuard}
	writeFence = lab.Variant{Name: "write-check", Guard: lab.WriteFence}
	readFence  = lab.Variant{Name: "read-and-write check", Guard: lab.ReadFence}
)

// Resources are the resources that are compared, in the order of tables.
func Resources() []string { return []string{noGuard.Name, writeFence.Name, readFence.Name} }

// Choice is what of the whole grid is wanted, by the names of faults ("none" is without any) and of
// resources. Empty: all.
type Choice struct {
	Faults    []string
	Resources []string
}

func (c *Choice) has(f Fault, guard lab.Variant) bool {
	wanted := func(all []string, name string) bool { return len(all) == 0 || slices.Contains(all, name) }
	return wanted(c.Faults, f.Name) && wanted(c.Resources, guard.Name)
}

// Gap is a place in which nothing runs.
type Gap struct {
	System, Fault string
	Why           string
}

// clusterGap is why the server of a System that is Whole does not crash.
const clusterGap = "one server stands for a cluster in this model: its power cut would say nothing of the product"

// Grid is the places in which systems are compared: each without faults, and under each kind of
// fault with each resource. A system without a token has no fences: they would see nothing.
// Where one server stands for a cluster, no server crashes: that is a gap. The error is a panic of a
// model.
func Grid(all []lab.System, c Choice) (grid []Place, gaps []Gap, err error) {
	for i := range all {
		s := &all[i]
		first, err := Run(s, Calm, noGuard, 1)
		if err != nil {
			return nil, nil, err
		}
		guards := []lab.Variant{noGuard}
		if c.has(Calm, noGuard) {
			grid = append(grid, Place{s, Calm, noGuard})
		}
		if first.Token {
			guards = append(guards, writeFence, readFence)
		}
		for _, f := range Faults() {
			for _, guard := range guards {
				switch {
				case !c.has(f, guard):
				case s.Whole && f.Name == ServerCrash:
					if len(gaps) == 0 || gaps[len(gaps)-1] != (Gap{s.Name, f.Name, clusterGap}) {
						gaps = append(gaps, Gap{s.Name, f.Name, clusterGap})
					}
				default:
					grid = append(grid, Place{s, f, guard})
				}
			}
		}
	}
	return grid, gaps, nil
}

// Run runs one seed in this place.
func (p *Place) Run(seed uint64) (Seen, error) { return Run(p.System, p.Fault, p.Guard, seed) }
