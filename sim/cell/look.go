package cell

import (
	"strings"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim/event"
)

// The memory and the rows of a replica are checked after so many of its inputs. If there is more to
// walk through, the checks are less frequent, so that the cost for each input stays about the same.
// If there is very much, in a crowd, most inputs are alike: the checks become rarer still, and cost
// next to nothing.
const (
	memoryEvery = 64
	rowsEvery   = 1024
	veryMuch    = 1 << 14
)

// spaced returns how many inputs lie between two walks through n entries.
func spaced(least, n int) int { return max(least, n*max(1, n/veryMuch)) }

// looks counts the inputs of one life, and holds the counts at which the next walks are due.
type looks struct {
	inputs, memoryAt, rowsAt int
	rows                     paxos.Slot // the slot after which the rows were last checked
}

// look checks the memory and the rows of a replica every so many inputs. Builds with deep
// invariants check after each input; this finds what stays wrong for long.
func look(r *replica) {
	l, n := &r.looks, r.Host.Core()
	if n == nil {
		return
	}
	if l.inputs++; l.inputs >= l.memoryAt {
		audited(r, "memory", func() bool { n.Verify(); return true })
		l.memoryAt = l.inputs + spaced(memoryEvery, 4*memorySize(n))
	}
	if now := r.cell.watch.Disks[r.Id].Applied; l.inputs >= l.rowsAt && l.rows != now { // rows change only with slots
		audited(r, "rows", func() bool { return r.cell.auditRows(r) })
		l.rows, l.rowsAt = now, l.inputs+spaced(rowsEvery, n.View().Len())
	}
}

// audited runs a walk and publishes that it begins, and that it passed if it did. walk reports
// whether all was right.
func audited(r *replica, what string, walk func() bool) {
	wanted := r.cell.events.Wanted()
	if wanted {
		r.cell.publish(event.AuditBegun{Replica: r.Id, What: what})
	}
	if walk() && wanted {
		r.cell.publish(event.AuditPassed{Replica: r.Id, What: what})
	}
}

// memorySize returns about how many entries a walk through a replica's memory meets.
func memorySize(n *core.Replica) int {
	m, d := n.Master(), n.NodeOps()
	return m.Sessions + m.Pending + m.Waiting + d.Handles + d.Waiting + d.UnderWay
}

// auditRows checks all rows of a replica, unless a fault has changed them, and reports whether they
// are right.
func (c *Cell) auditRows(r *replica) bool {
	if r.Host.Core() == nil || c.watch.Disks[r.Id].Stray {
		return true
	}
	if err := command.Audit(r.Host.Core().Rows()); err != nil {
		id, what, _ := strings.Cut(err.Error(), ": ")
		c.world.Break(id, "rows of replica %d: %s", r.Id, what)
		return false
	}
	return true
}
