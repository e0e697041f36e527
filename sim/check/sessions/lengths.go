package sessions

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/master/session"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim/check/locks"
)

// lengths is how long the leases of a master are to be in its epoch: so long that the
// KeepAlives of all sessions are no more than it is to answer (C11.08), within the row
// of the longest lease. It has that row raised when its sessions ask for more, and
// lowered when no lease of that length can run any more: else each fail-over waits for
// the crowd of long ago.
type lengths struct {
	Config session.Config
	of     Presider
	held   int           // sessions, by the rows
	row    time.Duration // of the longest lease
	way    time.Duration // what a command under way makes of it; 0: there is none

	few, many    int           // held, the fewest and the most in the present step
	peak         int           // the most since the row was set, if it was in this step
	floor, bound time.Duration // what leases are bounded by, the least and the most in it

	low   time.Duration // leases were to be no longer since; 0: as long as the row
	since time.Time

	owes    time.Time // since when the row should be another, but for sleep; zero: it is as it should be
	refused uint64    // by the log, until then

	count *lengthCounts
}

// lengthCounts are leases that were told and were longer than the shortest, since
// sessions were many, and how often the row of the longest was raised and lowered.
type lengthCounts struct{ Longer, Raised, Lowered uint64 }

func (n *lengthCounts) moved(from, to time.Duration) {
	switch {
	case from < to && from > 0: // 0: in a new cell
		n.Raised++
	case to < from:
		n.Lowered++
	}
}

func newLengths(cfg session.Config, of Presider, now time.Time, n *lengthCounts) lengths {
	l := lengths{Config: cfg, of: of, count: n, held: of.Count(), row: of.Longest()}
	l.few, l.many, l.floor, l.bound = l.held, l.held, l.row, l.row
	l.look(l.held, now)
	return l
}

// least is how long a lease is at least with so many sessions.
func (l *lengths) least(sessions int) time.Duration {
	each := time.Second / time.Duration(l.Config.KeepAliveRate)
	return min(max(time.Duration(sessions)*each, l.Config.LeaseMin), l.Config.LeaseMax)
}

// most is how long it is at most: lengths go up by quarters of the shortest.
func (l *lengths) most(sessions int) time.Duration {
	return min(l.least(sessions)+l.Config.LeaseMin/4, l.Config.LeaseMax)
}

// acts begins a step, in which the log said this.
func (l *lengths) acts(now time.Time, applied []core.Applied) {
	l.few, l.many, l.peak = l.held, l.held, l.held
	l.floor, l.bound = l.row, l.row
	if l.way > 0 {
		l.floor = min(l.row, l.way)
	}
	for i := range applied {
		for j := range applied[i].Commands {
			l.applied(&applied[i].Commands[j])
		}
	}
	l.look(l.peak, now)
	l.look(l.held, now)
}

func (l *lengths) applied(a *command.Applied) {
	for _, e := range a.Effects {
		switch e.(type) {
		case command.SessionOpened:
			l.held++
		case command.SessionEnded:
			l.held--
		}
		l.few, l.many, l.peak = min(l.few, l.held), max(l.many, l.held), max(l.peak, l.held)
	}
	if _, sets := a.Command.(command.LongestLease); sets {
		was := l.row
		l.row, l.way, l.low, l.peak = l.of.Longest(), 0, 0, l.held
		l.count.moved(was, l.row)
		l.floor, l.bound = min(l.floor, l.row), max(l.bound, l.row)
	}
}

// look notes since when leases are shorter than the row.
func (l *lengths) look(sessions int, now time.Time) {
	switch {
	case inRow(l.most(sessions)) >= l.row:
		l.low = 0
	case l.low == 0 || l.least(sessions) > l.low:
		l.low, l.since = l.least(sessions), now
	}
}

// asks takes in that the log took a command that sets the row, and says what is wrong
// with it.
func (l *lengths) asks(to time.Duration) string {
	l.way, l.owes, l.floor = to, time.Time{}, min(l.floor, to)
	switch least := l.least(l.few); {
	case to < least:
		return fmt.Sprintf("and the leases of %d sessions are to be %v", l.held, least)
	case inRow(to) == l.row:
		return "which it is"
	}
	return ""
}

// inRow is a length as the row keeps it: in whole milliseconds, upwards.
func inRow(d time.Duration) time.Duration {
	return (d + time.Millisecond - 1).Truncate(time.Millisecond)
}

// overdue is what the row should be, at least or at most, of which the master has said
// nothing for some time, though it was awake and the log refused nothing; 0: all is
// well. slept is how long it was until now.
func (l *lengths) overdue(now time.Time, slept time.Duration) time.Duration {
	short := l.least(l.held) > l.row
	long := l.low > 0 && !now.Before(l.since.Add(l.row))
	switch {
	case l.way > 0 || !short && !long:
		l.owes = time.Time{}
	case l.owes.IsZero():
		l.owes, l.refused = now, l.of.Refusals()
	case now.Sub(l.owes)-slept < locks.Dallies:
		l.owes = l.owes.Add(slept)
	case l.of.Refusals() != l.refused:
		l.owes, l.refused = now, l.of.Refusals()
	case short:
		return l.least(l.held)
	default:
		return l.low
	}
	return 0
}

// granted says by how much a lease that is told is too short or too long: it ends
// there, was to end at was until then, and began within [from, to]. A lease that was
// longer before is left as it was.
func (l *lengths) granted(was, lease, from, to time.Time) (short, long time.Duration) {
	if min(l.least(l.few), l.floor) > l.Config.LeaseMin {
		l.count.Longer++
	}
	short = max(from.Add(min(l.least(l.few), l.floor)).Sub(lease), 0)
	if lease.After(was) {
		long = max(lease.Sub(to.Add(min(l.most(l.many), l.bound))), 0)
	}
	return short, long
}
