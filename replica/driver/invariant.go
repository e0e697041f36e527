package driver

import (
	"time"

	"github.com/chubbycell/chubby/internal/invariant"
)

// verifyPauses: waits that double have a bound, however long nobody answers (I-U1):
// the one of doc.go, whatever the code takes it for. One without is as long as the
// outage was when that is over, and nothing is dropped from the log in all that time.
func (h *Host) verifyPauses() {
	h.verifyPause("others about the rows of a snapshot", h.confirm.wake())
	h.verifyPause("others about the rows of a backup", h.backup.confirm.wake())
	h.verifyPause("for a snapshot", h.fetch.wake())
}

// verifyPause is told when what is asked for is asked again; zero: nothing is.
func (h *Host) verifyPause(what string, due time.Time) {
	if due.IsZero() {
		return
	}
	if wait, most := due.Sub(h.now), 8*h.cfg.Node.Paxos.Retransmit; wait > most {
		invariant.Failf("I-U1", "replica %d asks %s again in %v, its bound is %v", h.cfg.Node.Paxos.ID, what, wait, most)
	}
}
