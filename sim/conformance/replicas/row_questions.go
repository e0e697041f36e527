package replicas

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// rowQuestions are the questions of one life of a replica about the sum of its rows. Before
// a majority has answered, no snapshot is written, so nothing is dropped from the log. The
// replica asks again before long, however long the network was broken: if the pauses doubled
// without bound, the log would grow for as long again after the network is whole (L2).
//
// The bound is twice that of the code. A question about another slot, for a backup, counts
// as one: only the latest is judged.
type rowQuestions struct {
	slot      paxos.Slot // slot of the latest question; 0: none waits
	asked     time.Time
	answers   map[paxos.Slot]map[paxos.NodeID]bool // the replicas that have answered what may still wait
	isLeading bool
}

// onAsk records a question that leaves.
func (q *rowQuestions) onAsk(now time.Time, slot paxos.Slot) {
	if q.answers == nil {
		q.answers = map[paxos.Slot]map[paxos.NodeID]bool{}
	}
	if q.answers[slot] == nil {
		q.answers[slot] = map[paxos.NodeID]bool{}
	}
	q.slot, q.asked = slot, now
}

// onTransfer records an answer, whatever it says.
func (q *rowQuestions) onTransfer(from paxos.NodeID, m driver.Transfer) {
	switch m := m.(type) {
	case driver.TellSum:
		if answers := q.answers[m.Slot]; answers != nil {
			answers[from] = true
		}
	case driver.Relay:
		q.onTransfer(m.From, m.M)
	}
}

// onBulkDone records the end of a job. A peer's snapshot that is complete covers the slots up
// to its own, even if the replica has applied them meanwhile and does not install it: the log
// may drop them, and the rows of such a slot need not be compared.
func (q *rowQuestions) onBulkDone(r driver.BulkResult) {
	if put, ok := r.(driver.PutDone); ok && put.Rows != nil && put.ID.Handle.Slot >= q.slot {
		q.stop()
	}
}

// stop records that no question waits, as far as is known.
func (q *rowQuestions) stop() { q.slot, q.answers = 0, nil }

// onActed checks the end of a step. A snapshot or backup that begins ends its questions, as
// does an installed snapshot, unless the question is about later rows: in the same step the replica may have
// applied what follows, and asked about that. A master that steps down gives up those for a backup. Answers about a
// snapshot stay when a backup begins or is given up: the replica does not ask these peers again.
func (q *rowQuestions) onActed(w *sim.World, r *paxos.Status, now time.Time, replicas int, most time.Duration, out *model.Outcome) {
	wasLeading := q.isLeading
	q.isLeading = r.Role == paxos.Leader
	_, writes := out.Bulk.(driver.WriteJob)
	switch {
	case writes || out.Installed != nil && out.Installed.Handle.Slot >= q.slot:
		q.stop()
	case out.Backup != nil || wasLeading && !q.isLeading:
		q.slot = 0
	}
	if q.slot == 0 || 1+len(q.answers[q.slot]) > replicas/2 {
		return
	}
	if late := now.Sub(q.asked); late > most {
		w.Diverge("L2", "replica %d has not asked again %v after it asked for sums of its rows after slot %d, which no majority has answered; it has to within %v",
			r.ID, late, q.slot, most)
	}
}
