package replicas

import (
	"fmt"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/sim"
)

// sums are the sums of rows that one life of a replica has reported and received.
type sums struct {
	own       core.SumReport
	others    map[paxos.NodeID]core.SumReport
	isChecked bool // no report has come since the last check
}

// onReport records the replica's own report.
func (s *sums) onReport(r core.SumReport) { s.own, s.isChecked = r, false }

// onPeerReport records another replica's report. Only its latest slot counts.
func (s *sums) onPeerReport(from paxos.NodeID, r core.SumReport) {
	if s.others == nil {
		s.others = map[paxos.NodeID]core.SumReport{}
	}
	if r.Slot >= s.others[from].Slot {
		s.others[from], s.isChecked = r, false
	}
}

// onActed checks the end of a step of a replica that has not stopped. It must stop once so
// many replicas have reported other rows that its own rows cannot be those of a majority
// (S6). Replicas without a report make no difference.
func (s *sums) onActed(w *sim.World, id paxos.NodeID, replicas int) {
	if s.isChecked {
		return
	}
	s.isChecked = true
	differ := 0
	for _, r := range s.others { // order-free: counted
		if s.own.Slot > 0 && r.Slot == s.own.Slot && r.Sum != s.own.Sum {
			differ++
		}
	}
	if differ >= replicas-replicas/2 {
		w.Diverge("S6", "replica %d does not stop, although %d of %d have reported other rows than its own after slot %d%s", id, differ, replicas, s.own.Slot, s.silent(id, replicas))
	}
}

// silent names the other replicas that have not reported the rows of the slot.
func (s *sums) silent(id paxos.NodeID, replicas int) string {
	text := ""
	for i := range paxos.NodeID(replicas) {
		if from := i + 1; from != id && s.others[from].Slot != s.own.Slot {
			text += fmt.Sprintf("; n%d has not reported that slot", from)
		}
	}
	return text
}
