package fairqueue

import "time"

// pace says how many commands one principal may send to the log together, by how long
// the log takes. On many a log a batch costs hardly more than a single command; on
// others each byte costs, and one principal's batch is what all the others wait for.
// It is about the log and not about a principal, so nothing of a principal needs to be
// remembered when it is idle.
type pace struct {
	most  int           // commands that a slot holds
	size  int           // at present, from 1 to most
	least time.Duration // that a round took; 0: not known yet
}

const (
	// quick is how long a round may take in any case: batches that take no longer
	// delay no other principal.
	quick = 10 * time.Millisecond
	// aging is in how many rounds the shortest one would double, were there no others:
	// a log that has become slower is not taken for a crowded one for ever.
	aging = 4096
)

// took is told how long a round was: from when a principal's batch was taken until
// all of it was applied. One that took half as long again as the shortest has waited
// for others, or has made others wait. A log whose replicas are far away is not slow by
// that measure: all its rounds take about as long.
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
