package replicas

import (
	"fmt"
	"strings"

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
	var differ, same, silent []string
	for i := range paxos.NodeID(replicas) {
		from := i + 1
		switch r := s.others[from]; {
		case from == id:
		case s.own.Slot == 0 || r.Slot != s.own.Slot:
			silent = append(silent, fmt.Sprint("n", from))
		case r.Sum != s.own.Sum:
			differ = append(differ, fmt.Sprint("n", from))
		default:
			same = append(same, fmt.Sprint("n", from))
		}
	}
	if len(differ) >= replicas-replicas/2 {
		w.Diverge("S6", "replica %d does not stop, although %d of %d have reported other rows than its own after slot %d: %s; with the same rows: %s; without a report of that slot so far: %s",
			id, len(differ), replicas, s.own.Slot, list(differ), list(same), list(silent))
	}
}

// list returns names with commas between them.
func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
