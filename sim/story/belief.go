package story

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/moments"
)

// belief is what one machine believed at the end of the run.
type belief struct {
	line   string
	weight int // beliefs of more weight are told first
}

// beliefs returns a line for each of at most room machines, replicas first; at most clients of them are clients.
// Machines are preferred in this order: the machine of the break, machines that the report names, replicas that lead,
// clients that believe they hold a lock, others.
func (l log) beliefs(s *subjects, on sim.Addr, room, clients int) []string {
	var all []belief
	for i := range l.Left {
		e := &l.Left[i]
		m := belief{line: l.replica(e, on), weight: 1}
		if sim.Addr(e.Replica) == on {
			m.weight = 5
		} else if s.machines[sim.Addr(e.Replica)] {
			m.weight = 4
		} else if e.Status != nil && e.Status.Role == paxos.Leader {
			m.weight = 3
		}
		all = append(all, m)
	}
	var ofClients []belief
	for _, a := range l.Clients {
		m := belief{line: l.client(a, a == on || s.machines[a])}
		if a == on {
			m.weight = 5
		} else if s.machines[a] {
			m.weight = 4
		} else if len(l.Held[a]) > 0 {
			m.weight = 2
		}
		ofClients = append(ofClients, m)
	}
	all = append(all, heaviest(ofClients, clients)...)
	locks := newLockTable(l, s, on).line()
	if locks != "" {
		room--
	}
	var lines []string
	for _, m := range heaviest(all, room) {
		lines = append(lines, m.line)
	}
	if locks != "" {
		lines = append(lines, locks)
	}
	return lines
}

// heaviest returns the n beliefs of most weight, in their order.
func heaviest(all []belief, n int) []belief {
	for len(all) > max(n, 0) {
		least := 0
		for i := range all {
			if all[i].weight <= all[least].weight {
				least = i
			}
		}
		all = slices.Delete(all, least, least+1)
	}
	return all
}

// replica says what a replica believes; for the replica of the break, on, also which records its disk has.
func (l log) replica(e *event.Left, on sim.Addr) string {
	who := sim.Addr(e.Replica)
	if e.Status == nil {
		return fmt.Sprintf("%v is down", who)
	}
	st := e.Status
	var b strings.Builder
	fmt.Fprintf(&b, "%v (%s by its clock) ", who, millis(l.LocalOf(who)))
	switch {
	case st.Role == paxos.Leader:
		fmt.Fprintf(&b, "leads at ballot %v", st.Ballot)
	case st.Role != paxos.Follower:
		fmt.Fprintf(&b, "is %v at ballot %v", st.Role, st.Ballot)
	case st.Leader != 0:
		fmt.Fprintf(&b, "follows n%d", st.Leader)
	default:
		b.WriteString("knows no leader")
	}
	b.WriteString(l.since(who, st))
	fmt.Fprintf(&b, "; has promised %v, applied slot %d", st.Promised, st.Applied)
	if who == on && st.Floor > 1 {
		fmt.Fprintf(&b, "; its log starts at slot %d", st.Floor)
	}
	if who == on && st.Durable+1 < st.Next {
		fmt.Fprintf(&b, "; records on its disk up to #%d of #%d", st.Durable, st.Next-1)
	}
	if e.Epoch != 0 {
		fmt.Fprintf(&b, "; is master of epoch %d", e.Epoch)
	}
	if left := e.Lease.Sub(e.Local); !e.Lease.IsZero() && left > 0 {
		fmt.Fprintf(&b, "; may read alone for %v more", left.Round(time.Millisecond))
	}
	return b.String()
}

// since says since when a replica has had its belief about the leader. It returns "" if the last event does not have
// that belief: then it changed in the step of the break, before the event of the change.
func (l log) since(who sim.Addr, st *paxos.Status) string {
	i, ok := l.Leads[who]
	t := l.Tenures[who]
	if st.Role == paxos.Leader {
		ok = ok && t.Mine && t.Ballot == st.Ballot
	} else {
		ok = ok && !t.Mine && t.Leader == st.Leader
	}
	if !ok {
		return ""
	}
	text := fmt.Sprintf(", since %s s", moments.Short(l.All[i].At))
	if l.All[i].Local != "" {
		text += fmt.Sprintf(" (%s)", millis(l.All[i].Local))
	}
	return text
}

// client says what a client believed about its session and its locks; full: also which sessions it had.
func (l log) client(who sim.Addr, full bool) string {
	said := l.Says[who]
	if said.Dead {
		return fmt.Sprintf("%v is down", who)
	}
	st := said.Status
	var b strings.Builder
	fmt.Fprintf(&b, "%v (%s by its clock) ", who, millis(l.LocalOf(who)))
	switch {
	case st.State == session.Over:
		fmt.Fprintf(&b, "considers its session over (%v)", st.Why)
	case st.Session == 0:
		b.WriteString("has no session")
	default:
		fmt.Fprintf(&b, "is in session %d (%v), knows epoch %d, believes n%d is the master", st.Session, st.Lease, st.Epoch, st.Target)
	}
	b.WriteString(l.presented(who, st))
	if full {
		b.WriteString(l.sessions(who))
	}
	for _, h := range l.Held[who] {
		fmt.Fprintf(&b, "; believes, since %s s, that it holds the lock of %s, %s", moments.Short(h.Since), h.Node, h.Mode)
	}
	return moments.Clip(b.String(), 260+len(l.sessions(who)))
}

// millis shortens a reading of a clock, in seconds, to the millisecond; "-" if the machine has none.
func millis(local string) string {
	whole, part, ok := strings.Cut(local, ".")
	if !ok {
		return "-"
	}
	return whole + "." + part[:min(3, len(part))]
}
