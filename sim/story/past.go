package story

import "github.com/chubbycell/chubby/sim"

// past is all moments that some moments may have come from, those themselves among them:
// what came before on the same machine, and the sending of what was received.
func (l *log) past(from []int) []bool {
	in := make([]bool, len(l.all))
	for _, i := range from {
		in[i] = true
	}
	for i := len(l.all) - 1; i >= 0; i-- { // both ways lead to smaller numbers
		if !in[i] {
			continue
		}
		for _, before := range []int{l.all[i].prev, l.all[i].cause} {
			if before != none {
				in[before] = true
			}
		}
	}
	return in
}

// ends are the moments that a break comes from: the break itself where a machine was at
// work, and the last moments of the machines that are meant; of all, if none is.
func (l *log) ends(meant func(sim.Addr) bool) []int {
	var all, some []int
	if l.broke != none && l.all[l.broke].who != 0 {
		some = append(some, l.broke)
	}
	for i := range l.all {
		who := l.all[i].who
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
