package fairqueue

import "time"

// pace says how many commands one principal may send to the log together, from how long rounds
// took. A round lasts from when a principal's batch is taken until all of it is applied. With some
// logs a batch costs hardly more than a single command; with others each byte costs, and all other
// principals wait for one principal's batch. pace describes the log and not a principal, so nothing
// of an idle principal needs to be remembered.
type pace struct {
	most  int           // commands that a slot holds
	size  int           // of a batch at present, in commands, from 1 to most
	least time.Duration // the shortest round, see aging; 0: not known yet
}

const (
	// quick is a round that is never too long: a batch that takes no longer delays no other
	// principal.
	quick = 10 * time.Millisecond
	// aging makes least grow by one part in 4096 with each round. So a log that has become slower
	// is not taken for a crowded one for ever.
	aging = 4096
)

// took takes in how long a round was. A round half as long again as the shortest has waited for
// others, or made others wait. A log whose replicas are far apart is not slow by that measure, since
// all its rounds take about as long.
func (p *pace) took(d time.Duration) {
	if d <= 0 {
		return
	}
	if p.least == 0 || d < p.least {
		p.least = d
	}
	if d > max(quick, p.least+p.least/2) {
		p.size = max(1, p.size/2)
	} else {
		p.size = min(p.most, p.size+1)
	}
	p.least += p.least / aging
}
