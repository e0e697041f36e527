package story

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/moments"
)

// mostLocks is how many holders and lock-delays are told.
const mostLocks = 3

// lockTable is what the rows of one replica say of the locks that a report is about. The replica is that of the break, else one
// that has executed most.
type lockTable struct {
	log
	about *subjects
	rows  *event.Left // nil: no replica runs
}

func newLockTable(l log, about *subjects, on sim.Addr) lockTable {
	t := lockTable{log: l, about: about}
	for i := range l.Left {
		switch e := &l.Left[i]; {
		case e.Status == nil:
		case sim.Addr(e.Replica) == on:
			t.rows = e
			return t
		case t.rows == nil || e.Status.Applied > t.rows.Status.Applied:
			t.rows = e
		}
	}
	return t
}

// line says how the locks stand that the report is about; "" if it is about none.
func (t lockTable) line() string {
	if t.rows == nil {
		return ""
	}
	var all []string
	for _, h := range t.rows.Locks {
		if t.about.concernsLock(h.Lock, h.Owner.Session) {
			all = append(all, fmt.Sprintf("%v is held, %v, by handle %v of session %d%s, since command %d", h.Lock, h.Mode, h.Owner.Handle, h.Owner.Session, t.clientIn(h.Owner.Session), h.Acquisition))
		}
	}
	for _, d := range t.rows.Delays {
		if t.about.concernsLock(d.Lock, 0) {
			all = append(all, fmt.Sprintf("a lock-delay of %v keeps %v, which command %d freed", d.Length, d.Lock, d.Freed))
		}
	}
	if len(all) == 0 {
		return ""
	}
	more := ""
	if n := len(all) - mostLocks; n > 0 {
		all, more = all[:mostLocks], fmt.Sprintf("; and %d more", n)
	}
	return fmt.Sprintf("by the rows of n%d: %s%s", t.rows.Replica, strings.Join(all, "; "), more)
}

// grants returns, for each holder that line tells, the command that gave it the lock, and the last message by which its client
// heard that another handle wants it.
func (t lockTable) grants(end int) (all []int) {
	if t.rows == nil {
		return nil
	}
	a := aside{t.log, t.about, end}
	for _, h := range t.rows.Locks {
		if !t.about.concernsLock(h.Lock, h.Owner.Session) || len(all) >= mostLocks {
			continue
		}
		node := regexp.QuoteMeta(moments.Squeeze(h.Lock.String()))
		granted := regexp.MustCompile(fmt.Sprintf(`\bacquisition %d: .*:%s `, h.Acquisition, node))
		wanted := regexp.MustCompile(fmt.Sprintf(` session %d .*\block-wanted of %s\b`, h.Owner.Session, node))
		all = append(all, a.lastMatch(moments.Executes, granted)...)
		all = append(all, a.lastMatch("receive", wanted)...)
	}
	return all
}

// concernsLock reports whether the report is about a lock: it speaks of locks, and names the node or the session of the holder.
func (s *subjects) concernsLock(node api.Ref, holder api.SessionID) bool {
	if !slices.ContainsFunc([]string{"lock", "acqui", "hold", "held", "fence", "seque", "relea", "exclu", "share"}, func(stem string) bool { return s.words[stem] }) {
		return false
	}
	return s.paths[moments.Squeeze(node.Path.String())] || holder != 0 && s.session == fmt.Sprint(uint64(holder))
}

// clientIn names the client whose session it is, in parentheses; "" if no client that runs is in it.
func (t lockTable) clientIn(id api.SessionID) string {
	for _, a := range t.Clients {
		if said := t.Says[a]; !said.Dead && api.SessionID(said.Status.Session) == id {
			return fmt.Sprintf(" (%v)", a)
		}
	}
	return ""
}
