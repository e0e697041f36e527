package driver

import (
	"time"

	"github.com/chubbycell/chubby/internal/invariant"
)

// verifyPauses: waits that double have a bound, however long nobody answers (I-U1):
// the one of doc.go, whatever the code takes it for. One without is as long as the
// outage was when that is over, and nothing is dropped from the log in all that time.
func (d *Driver) verifyPauses() {
	d.verifyPause("others about the rows of a snapshot", d.compare.wake())
	d.verifyPause("others about the rows of a backup", d.backup.confirm.wake())
	d.verifyPause("for a snapshot", d.fetch.wake())
}

// verifyPause is told when what is asked for is asked again; zero: nothing is.
func (d *Driver) verifyPause(what string, due time.Time) {
	if due.IsZero() {
		return
	}
	if wait, most := due.Sub(d.now), 8*d.cfg.Core.Paxos.Retransmit; wait > most {
		invariant.Failf("I-U1", "replica %d asks %s again in %v, its bound is %v", d.cfg.Core.Paxos.ID, what, wait, most)
	}
}
