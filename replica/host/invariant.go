package host

import (
	"time"

	"github.com/chubbycell/chubby/internal/invariant"
)

// verifyPauses: waits that double have a bound, however long nobody answers (I-U1):
// the one of doc.go, whatever the code takes it for. One without is as long as the
// outage was when that is over, and nothing is dropped from the log in all that time.
func (h *Host) verifyPauses() {
	most := 8 * h.cfg.Node.Paxos.Retransmit
	for _, p := range []struct {
		what string
		due  time.Time // zero: nothing is asked
	}{
		{"others about the rows of a snapshot", h.confirm.wake()},
		{"others about the rows of a backup", h.backup.confirm.wake()},
		{"for a snapshot", h.fetch.wake()},
	} {
		if p.due.Sub(h.now) > most {
			invariant.Failf("I-U1", "replica %d asks %s again in %v, its bound is %v", h.cfg.Node.Paxos.ID, p.what, p.due.Sub(h.now), most)
		}
	}
}
