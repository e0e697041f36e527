package moments

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim/event"
)

// mostGiven is how many votes the words of a recovery name: the last ones, which a quorum may need.
const mostGiven = 4

// What begins the words of a recovery, and of a snapshot that was written.
const (
	gives   = "recovered "
	written = "snapshot of slot "
)

// IsOfWhole reports whether a moment is about all that a disk has: what it gave back to a process that starts, or a snapshot that
// was written.
func IsOfWhole(m *Moment) bool {
	return m.Kind == Durable && (strings.HasPrefix(m.Text, gives) || strings.HasPrefix(m.Text, written))
}

// givenBack is what a disk gave back to a process that starts, in words.
func givenBack(e event.Recovered) string {
	var b strings.Builder
	r := e.State
	fmt.Fprintf(&b, gives+"promise %v, ", r.Promise)
	if r.Snapshot.Slot > 0 {
		fmt.Fprintf(&b, "snapshot of slot %d, ", r.Snapshot.Slot)
	} else {
		b.WriteString("no snapshot, ")
	}
	open := openVotes(r)
	b.WriteString("votes not known to be chosen:")
	if len(open) == 0 {
		b.WriteString(" none")
	}
	if more := len(open) - mostGiven; more > 0 {
		fmt.Fprintf(&b, " %d earlier,", more)
		open = open[more:]
	}
	for _, v := range open {
		b.WriteString(" " + v)
	}
	fmt.Fprintf(&b, "; the log ends with record #%d; %s", max(r.Next, 1)-1, e.Report)
	return b.String()
}

// openVotes are the last votes of the slots which a log does not settle, in the order of slots, as messages name
// them. One without a value is unreadable.
func openVotes(r *paxos.Recovered) []string {
	votes := map[paxos.Slot]string{}
	for _, rec := range r.Records {
		switch rec := rec.(type) {
		case paxos.Voted:
			votes[rec.Slot] = fmt.Sprintf("%d@%v=%v", rec.Slot, rec.Ballot, rec.Value)
		case paxos.Unreadable:
			votes[rec.Slot] = fmt.Sprintf("%d@%v=unreadable", rec.Slot, rec.Ballot)
		case paxos.Learned:
			delete(votes, rec.Slot)
		case paxos.Settled:
			for s := range votes {
				if rec.Slots.From <= s && s < rec.Slots.To {
					delete(votes, s)
				}
			}
		}
	}
	slots := make([]paxos.Slot, 0, len(votes))
	for s := range votes {
		slots = append(slots, s)
	}
	slices.SortFunc(slots, cmp.Compare)
	var all []string
	for _, s := range slots {
		all = append(all, votes[s])
	}
	return all
}
