package sessions

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/master/session"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim/check/locks"
)

// lengths computes how long the leases of a master must be in its epoch: so long that the
// KeepAlives of all sessions do not exceed the rate at which the master is to answer them
// (C11.08), but within the row of the longest lease. The master must raise that row when the
// number of sessions asks for more. It must lower the row when no lease of that length can
// run any more; otherwise each fail-over would wait as long as a former crowd needed.
type lengths struct {
	Config session.Config
	of     Presider
	held   int           // number of sessions, by the rows
	row    time.Duration // the row of the longest lease
	way    time.Duration // what a command under way sets the row to; 0: none is

	few, many    int           // least and greatest held in the present step
	peak         int           // the most since the row was set, if it was set in this step
	floor, bound time.Duration // least and greatest bound of leases in the step

	low   time.Duration // the length that leases have needed since `since`; 0: that of the row
	since time.Time

	owes    time.Time // since when the row should have been another, without sleep; zero: it is right
	refused uint64    // commands that the log had refused until then

	count *lengthCounts
}

// lengthCounts counts leases that were longer than the shortest because sessions were many,
// and how often the row of the longest lease was raised and lowered.
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
	l.noteShorter(l.held, now)
	return l
}

// least returns how long a lease must be with this number of sessions.
func (l *lengths) least(sessions int) time.Duration {
	each := time.Second / time.Duration(l.Config.KeepAliveRate)
	return min(max(time.Duration(sessions)*each, l.Config.LeaseMin), l.Config.LeaseMax)
}

// most returns how long a lease may be with this number of sessions: masters lengthen leases
// by quarters of the shortest.
func (l *lengths) most(sessions int) time.Duration {
	return min(l.least(sessions)+l.Config.LeaseMin/4, l.Config.LeaseMax)
}

// onActed begins a step, in which the master has applied these commands.
func (l *lengths) onActed(now time.Time, applied []core.Applied) {
	l.few, l.many, l.peak = l.held, l.held, l.held
	l.floor, l.bound = l.row, l.row
	if l.way > 0 {
		l.floor = min(l.row, l.way)
	}
	for i := range applied {
		for j := range applied[i].Commands {
			l.onApplied(&applied[i].Commands[j])
		}
	}
	l.noteShorter(l.peak, now)
	l.noteShorter(l.held, now)
}

func (l *lengths) onApplied(a *command.Applied) {
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

// noteShorter records since when leases have been shorter than the row.
func (l *lengths) noteShorter(sessions int, now time.Time) {
	switch {
	case inRow(l.most(sessions)) >= l.row:
		l.low = 0
	case l.low == 0 || l.least(sessions) > l.low:
		l.low, l.since = l.least(sessions), now
	}
}

// onProposed takes in a command that sets the row, and returns what is wrong with it.
func (l *lengths) onProposed(to time.Duration) string {
	l.way, l.owes, l.floor = to, time.Time{}, min(l.floor, to)
	switch least := l.least(l.few); {
	case to < least:
		return fmt.Sprintf("and the leases of %d sessions are to be %v", l.held, least)
	case inRow(to) == l.row:
		return "which it is"
	}
	return ""
}

// inRow returns a length as the row has it: in whole milliseconds, rounded up.
func inRow(d time.Duration) time.Duration {
	return (d + time.Millisecond - 1).Truncate(time.Millisecond)
}

// overdue returns what the row should be at least or at most, if the master has left it
// otherwise for too long while it was awake and the log refused nothing; 0: all is well.
// slept is how much of the time since the last step the master slept.
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

// granted returns by how much a lease that the master tells is too short or too long. The
// lease ends at lease, ended at was before, and began within [from, to]. A lease that was
// longer before stays as it was.
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
