package moments

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim/event"
)

// mostVotes is how many open votes the text of a recovery names: the last ones, which a quorum may need.
const mostVotes = 4

// The first words of a recovery, and of a snapshot that was written.
const (
	gives   = "recovered "
	written = "snapshot of slot "
	// installed begins the text of a moment at which a replica took over the rows of another one.
	installed = "has the rows of the snapshot of slot "
)

// IsOfWhole reports whether a moment is about the whole disk: the recovery of a process that starts, or a snapshot that
// was written.
func IsOfWhole(m *Moment) bool {
	return m.Kind == Durable && (strings.HasPrefix(m.Text, gives) || strings.HasPrefix(m.Text, written))
}

// IsOfNewRows reports whether a replica got rows that it did not make itself: from its disk as it started, or from
// another replica.
func IsOfNewRows(m *Moment) bool {
	return m.Kind == Durable && strings.HasPrefix(m.Text, gives) || m.Kind == Believes && strings.HasPrefix(m.Text, installed)
}

// recovery returns in words what a starting process read from its disk.
func recovery(e event.Recovered) string {
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
	if more := len(open) - mostVotes; more > 0 {
		fmt.Fprintf(&b, " %d earlier,", more)
		open = open[more:]
	}
	for _, v := range open {
		b.WriteString(" " + v)
	}
	fmt.Fprintf(&b, "; the log ends with record #%d; %s", max(r.Next, 1)-1, e.Report)
	return b.String()
}

// openVotes returns the last vote of each slot that the log does not say is chosen, in the order of slots and in the
// format of messages. A vote whose value was damaged is unreadable.
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
