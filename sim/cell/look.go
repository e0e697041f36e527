package cell

import (
	"strings"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim/event"
)

// Every so many inputs of a replica its memory is walked through, and its rows; less
// often where there is much of them, so that this costs each input about the same.
// Where there is very much, in a crowd, most inputs are alike: the walks become fewer
// still, and cost nothing any more.
const (
	memoryEvery = 64
	rowsEvery   = 1024
	veryMuch    = 1 << 14
)

// spaced is how many inputs lie between two walks through n things.
func spaced(least, n int) int { return max(least, n*max(1, n/veryMuch)) }

// looks counts the inputs of one life, and says at which of them to look again.
type looks struct {
	inputs, memoryAt, rowsAt int
	rows                     paxos.Slot // behind which they were looked at
}

// look walks through what the replica holds every so often, which builds with deep
// invariants do after each input: what is wrong for long is seen here.
func look(r *replica) {
	l, n := &r.looks, r.Host.Core()
	if n == nil {
		return
	}
	if l.inputs++; l.inputs >= l.memoryAt {
		audited(r, "memory", func() bool { n.Verify(); return true })
		l.memoryAt = l.inputs + spaced(memoryEvery, 4*remembers(n))
	}
	if now := r.cell.watch.Disks[r.Id].Applied; l.inputs >= l.rowsAt && l.rows != now { // they change with slots alone
		audited(r, "rows", func() bool { return r.cell.keepsRules(r) })
		l.rows, l.rowsAt = now, l.inputs+spaced(rowsEvery, n.View().Len())
	}
}

// audited tells listeners of a walk, which says whether all was right.
func audited(r *replica, what string, walk func() bool) {
	wanted := r.cell.events.Wanted()
	if wanted {
		r.cell.publish(event.AuditBegun{Replica: r.Id, What: what})
	}
	if walk() && wanted {
		r.cell.publish(event.AuditPassed{Replica: r.Id, What: what})
	}
}

// remembers is about how much a walk through a replica's memory meets.
func remembers(n *core.Replica) int {
	m, d := n.Master(), n.NodeOps()
	return m.Sessions + m.Pending + m.Waiting + d.Handles + d.Waiting + d.UnderWay
}

// keepsRules looks at all rows of a replica, unless they were made to differ, and says whether they are right.
func (c *Cell) keepsRules(r *replica) bool {
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
