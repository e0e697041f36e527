package driver

import (
	"time"

	"github.com/chubbycell/chubby/internal/invariant"
)

// verifyPauses asserts that waits which double have a bound, however long answers are
// missing (I-U1). The bound is that of doc.go, not the constants of the code. Without a
// bound a wait grows as long as the outage, and until it has passed nothing is dropped
// from the log.
func (d *Driver) verifyPauses() {
	d.verifyPause("others about the rows of a snapshot", d.compare.wake())
	d.verifyPause("others about the rows of a backup", d.backup.confirm.wake())
	d.verifyPause("for a snapshot", d.fetch.wake())
}

// verifyPause is given when the question is due again; zero: there is no question.
func (d *Driver) verifyPause(what string, due time.Time) {
	if due.IsZero() {
		return
	}
	if wait, most := due.Sub(d.now), 8*d.cfg.Core.Paxos.Retransmit; wait > most {
		invariant.Failf("I-U1", "replica %d asks %s again in %v, its bound is %v", d.cfg.Core.Paxos.ID, what, wait, most)
	}
}
