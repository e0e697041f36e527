package moments

import "github.com/chubbycell/chubby/sim"

// Past is all moments that some moments may have come from, those themselves among them:
// what came before on the same machine, and the sending of what was received.
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

// Ends are the moments that a break comes from: the break itself where a machine was at
// work, and the last moments of the machines that are meant; of all, if none is.
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
