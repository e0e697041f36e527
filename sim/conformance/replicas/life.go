package replicas

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/sim"
)

// Life watches one life of a replica. Whoever drives the host tells it of each step, by the
// clock that the host goes by:
//
//  1. what the host is about to be told: Asks, Hears;
//  2. what it wants done, before any of it is done: Wants;
//  3. what leaves: Says, Answers;
//  4. that all was done or begun: Acted; and Woken, if time alone brought the step about.
//
// It asks the host what that reports of itself, and never tells it anything. All is on the
// world's goroutine, nothing blocks.
type Life struct {
	world *sim.World
	id    paxos.NodeID
	host  *driver.Host
	terms Terms

	idle  idleLog
	hush  silence
	reign tenure
	heard rounds
	notes notes
	debts debts
	asked asked
	given given
	gave  source
	retry retry
	sums  sums
	words grants
}

// Terms are what the replicas of a cell were configured to owe.
type Terms struct {
	Replicas int
	Host     *driver.Config // is not copied, and does not change
	Lease    paxos.Lease    // of this replica, which may be configured otherwise
	Astray   bool           // clocks may err by more than leases allow for
}

// New returns the watch of a life of replica id that has not begun.
func New(w *sim.World, id paxos.NodeID, h *driver.Host, t Terms) *Life {
	return &Life{world: w, id: id, host: h, terms: t, asked: newAsked(), words: grants{lease: t.Lease}}
}

// Begins is told that the host was started on a log whose next record has number next,
// and that earlier lives of the replica were configured with a Grant of at most longest.
func (l *Life) Begins(now time.Time, next paxos.LSN, longest time.Duration) {
	l.idle.begins(now, next)
	if n := l.host.Node(); n != nil {
		l.words.begins(now, n.Status(), longest)
	}
}

// Asks is told of a request of a client's machine before the host takes it.
func (l *Life) Asks(from sim.Addr, q api.Request) {
	if l.host.Node() != nil {
		l.debts.came(from, q)
	}
}

// Answers is told of an answer that leaves.
func (l *Life) Answers(to sim.Addr, p api.Reply) { l.debts.told(to, p) }

// Hears is told of bytes from another replica before the host takes them.
func (l *Life) Hears(now time.Time, from paxos.NodeID, wire string) {
	n := l.host.Node()
	if n == nil {
		return
	}
	if driver.IsTransfer(wire) {
		if m, err := driver.DecodeTransfer(wire); err == nil {
			l.asked.hearsTransfer(l.id, from, m)
			l.given.hears(now, from, m)
		}
		return
	}
	if s, ok := driver.DecodeSumReport(wire); ok {
		l.sums.hears(from, s)
		return
	}
	leads := l.hush.listens()
	if len(wire) > mostShort && !leads {
		return
	}
	m, _ := paxos.DecodeMessage(wire)
	l.heard.hears(m)
	l.asked.hears(from, m)
	l.words.hears(now, n, from, m)
	if leads {
		l.hush.hears(now, n.Status(), from, m)
	}
}

// mostShort is longer than any message of the log that who does not lead is told of here.
const mostShort = 64

// Wants is told of all that the host wants done, before any of it is.
func (l *Life) Wants(out *driver.Output) {
	if out.Installed != nil {
		l.sums.says(core.SumReport{}) // of rows that are gone
	}
}

// Says is told of bytes that leave for another replica, and of the message of the log
// that they are, if they are one. Repeated are those that left for somebody else a moment
// before, in the same step.
func (l *Life) Says(now time.Time, to paxos.NodeID, wire string, m paxos.Message, repeated bool) {
	if !repeated {
		if s, ok := driver.DecodeSumReport(wire); ok {
			l.sums.says(s)
		}
		if m != nil {
			l.heard.says(l.world, l.id, m)
			l.words.says(l.world, l.id, to, now, m)
		}
	}
	if l.asked.owes() {
		l.asked.says(l.id, to, wire)
	}
	if driver.IsTransfer(wire) {
		m, _ := driver.DecodeTransfer(wire)
		if q, ok := m.(driver.Ask); ok {
			l.given.applied(l.host.Node().Status().Applied)
			l.given.asks(l.world, l.id, to, now, q, l.terms.Host.Node.Paxos.Retransmit)
		}
	}
}

// Acted is told that what the host wanted was done, or is under way. Proposed are the
// commands that it handed to the log.
func (l *Life) Acted(now time.Time, out *driver.Output, proposed []command.Command) {
	if n := l.host.Node(); n != nil {
		log := n.Status()
		l.heard.acted(log.Held)
		if !l.terms.Astray {
			l.reign.acts(l.world, now, &log, n.Lease)
		}
		l.words.acted(l.world, now, l.terms.Replicas, &log, n)
		if out.Bulk != nil {
			l.asked.lane(true)
			l.given.takes(l.world, l.id, out.Bulk)
		}
		l.asked.acted(l.world, l.id, log.Held, log.Applied)
		l.sums.goesOn(l.world, l.id, l.terms.Replicas)
		if l.debts.any() {
			m, desk := n.Master(), n.Desk()
			l.debts.acted(l.world, l.id, m.State, m.Pending, desk.UnderWay+desk.Waiting+desk.Held)
		}
		if l.hush.listens() {
			l.hush.acts(l.world, now, l.terms.Replicas, 2*l.terms.Host.Node.Paxos.ElectionMax, log)
		}
		if t := out.Tenure; t != nil && t.Mine {
			l.hush.leads(now)
		}
		l.noted(now, n, log.Role, log.Count.Refused, proposed)
	}
	l.debts.stepped()
	l.idle.acts(l.world, l.id, now, l.terms.Host.IdleAfter, out, l.host.Waiting())
	l.retry.acts(l.world, l.id, now, l.terms.Host.RetryAfter, out, l.gave.busy(now, l.quiet()))
	if _, writes := out.Bulk.(driver.WriteJob); writes {
		l.gave.begins(l.world, l.id, now, l.quiet())
	}
}

// quiet is for how long a peer may say nothing that goes on fetching a snapshot.
func (l *Life) quiet() time.Duration { return 8 * l.terms.Host.Node.Paxos.Retransmit }

func (l *Life) noted(now time.Time, n *core.Node, role paxos.Role, full uint64, proposed []command.Command) {
	if l.terms.Host.BackupEvery == 0 {
		return
	}
	s := n.Serving()
	if s == nil || role != paxos.Leader { // it gives up in this very step
		l.notes.rests()
		return
	}
	if _, founded := rows.CellID(n.View()); founded {
		l.notes.acted(l.world, l.id, now, s.Epoch, n.Backup(), proposed, full)
	}
}

// Woken is told, after Acted, that nothing but time has brought the step about.
func (l *Life) Woken(now time.Time) {
	l.notes.woken(l.world, l.id, now, l.terms.Host.BackupEvery, l.terms.Host.RetryAfter)
}

// LogDone is told of a job of the log lane that has ended, before the host is.
func (l *Life) LogDone(now time.Time, j *driver.LogJob) { l.idle.ends(now, j) }

// BulkDone is told what became of a job of the bulk lane, before the host is.
func (l *Life) BulkDone(now time.Time, result driver.BulkResult) {
	l.gave.ends(now, result, l.terms.Host.HoldFor)
	l.retry.ends(now, result)
	l.asked.lane(false)
	l.given.ends(result)
}

// Overtakes says that the snapshot that was begun last was begun while a peer was fetching
// the one before it.
func (l *Life) Overtakes() bool { return l.gave.cut }
