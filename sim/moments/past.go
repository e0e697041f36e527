package moments

import "github.com/chubbycell/chubby/sim"

// Past returns, for each moment, whether one of the moments in from may have come from it. It follows Prev and Cause. The
// moments in from are in their own past.
func (l *Log) Past(from []int) []bool {
	in := make([]bool, len(l.All))
	for _, i := range from {
		in[i] = true
	}
	for i := len(l.All) - 1; i >= 0; i-- { // both ways lead to smaller numbers
		if !in[i] {
			continue
		}
		for _, before := range []int{l.All[i].Prev, l.All[i].Cause} {
			if before != None {
				in[before] = true
			}
		}
	}
	return in
}

// Ends returns the moments at which the past of a break begins: the break itself, if it happened on a machine, and the
// last moments of the machines for which meant returns true. If there are none, it returns the last moments of all
// machines.
func (l *Log) Ends(meant func(sim.Addr) bool) []int {
	var all, some []int
	if l.Broke != None && l.All[l.Broke].Who != 0 {
		some = append(some, l.Broke)
	}
	for i := range l.All {
		who := l.All[i].Who
		if who == 0 || l.last[who] != i {
			continue
		}
		all = append(all, i)
		if meant(who) {
			some = append(some, i)
		}
	}
	if len(some) > 0 {
		return some
	}
	return all
}
