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
	"github.com/chubbycell/chubby/sim/model"
)

// Life checks one life of a replica. The code that runs the driver reports each step to it,
// by the replica's clock:
//
//  1. each input, before the driver takes it: OnStart, OnRequest, OnMessage, OnLogDone,
//     OnBulkDone;
//  2. the driver's output, before any of it is done: OnOutput;
//  3. each message that leaves: OnSend, OnReply;
//  4. the end of the step, when all was done or begun: OnActed; then OnWake, if only the
//     passing of time caused the step.
//
// A Life reads what the driver reports of itself and changes nothing. It runs on the world's
// goroutine and does not block.
type Life struct {
	world *sim.World
	id    paxos.NodeID
	host  *driver.Driver
	terms Terms

	idleLog   idleLog
	quorum    quorumLoss
	tenure    tenure
	campaigns campaigns
	elections elections
	backup    backupAge
	requests  clientRequests
	peers     peerRequests
	fetching  fetching
	source    source
	retry     retry
	sums      sums
	questions rowQuestions
	grants    grants
}

// Terms are the parts of a cell's configuration that the checks share.
type Terms struct {
	Replicas     int
	Driver       *driver.Config // not copied; it does not change
	Lease        paxos.Lease    // configuration of this replica, which may differ from the others'
	HasBadClocks bool           // clocks may err by more than leases allow for
}

// New returns the checks for a life of replica id that has not started.
func New(w *sim.World, id paxos.NodeID, h *driver.Driver, t Terms) *Life {
	return &Life{world: w, id: id, host: h, terms: t, peers: newPeerRequests(), grants: grants{lease: t.Lease}}
}

// OnStart records that the driver was started on a log whose next record has number next,
// and that earlier lives of the replica were configured with a Grant of at most longest.
func (l *Life) OnStart(now time.Time, next paxos.LSN, longest time.Duration) {
	l.idleLog.onStart(now, next)
	if n := l.host.Core(); n != nil {
		l.grants.onStart(now, n.Status(), longest)
	}
}

// OnRequest records request q of a client, before the driver takes it.
func (l *Life) OnRequest(from sim.Addr, q api.Request) {
	if l.host.Core() != nil {
		l.requests.onRequest(from, q)
	}
}

// OnReply records reply p to a client, which leaves.
func (l *Life) OnReply(to sim.Addr, p api.Reply) { l.requests.onReply(to, p) }

// OnMessage records the bytes of a message of another replica, before the driver takes them.
func (l *Life) OnMessage(now time.Time, from paxos.NodeID, wire string) {
	n := l.host.Core()
	if n == nil {
		return
	}
	if driver.IsTransfer(wire) {
		if m, err := driver.DecodeTransfer(wire); err == nil {
			l.peers.onTransfer(l.id, from, m)
			l.fetching.onTransfer(now, from, m)
			l.questions.onTransfer(from, m)
		}
		return
	}
	if s, ok := driver.DecodeSumReport(wire); ok {
		l.sums.onPeerReport(from, s)
		return
	}
	isLeading := l.quorum.isLeading()
	if len(wire) > maxShort && !isLeading {
		return
	}
	m, _ := paxos.DecodeMessage(wire)
	l.campaigns.onMessage(m)
	l.elections.onMessage(m)
	l.peers.onMessage(from, m)
	l.grants.onMessage(now, n, from, m)
	if isLeading {
		l.quorum.onMessage(now, n.Status(), from, m)
	}
}

// maxShort is above the size of every message of the log that matters here to a replica that
// does not lead.
const maxShort = 64

// OnOutput records the driver's output before any of it is done.
func (l *Life) OnOutput(out *model.Outcome) {
	if out.Installed != nil {
		l.sums.onReport(core.SumReport{}) // those rows were replaced
	}
}

// OnSend records the bytes of a message to another replica, which leaves, and m, the message
// of the log in them, if there is one. repeated says that the same bytes left for another
// replica in this step.
func (l *Life) OnSend(now time.Time, to paxos.NodeID, wire string, m paxos.Message, repeated bool) {
	if !repeated {
		if s, ok := driver.DecodeSumReport(wire); ok {
			l.sums.onReport(s)
		}
		if m != nil {
			l.campaigns.onSend(l.world, l.id, m)
			l.grants.onSend(l.world, l.id, to, now, m)
		}
	}
	if l.peers.hasPending() {
		l.peers.onSend(l.id, to, wire)
	}
	if driver.IsTransfer(wire) {
		m, _ := driver.DecodeTransfer(wire)
		switch q := m.(type) {
		case driver.Ask:
			l.fetching.onApplied(l.host.Core().Status().Applied)
			l.fetching.onAsk(l.world, l.id, to, now, q, l.terms.Driver.Core.Paxos.Retransmit)
		case driver.AskSum:
			l.questions.onAsk(now, q.Slot)
		}
	}
}

// OnActed checks the end of a step: all output was done, or is under way. proposed are the
// commands that the step handed to the log.
func (l *Life) OnActed(now time.Time, out *model.Outcome, proposed []command.Command) {
	if n := l.host.Core(); n != nil {
		log := n.Status()
		l.campaigns.onActed(log.Held)
		l.elections.onActed(l.world, now, out.Wake, l.terms.Driver.Core.Paxos.ElectionMax, &log)
		if !l.terms.HasBadClocks {
			l.tenure.onActed(l.world, now, &log, n.Lease)
		}
		l.grants.onActed(l.world, now, l.terms.Replicas, &log, n)
		if out.Bulk != nil {
			l.peers.setBulkBusy(true)
			l.fetching.onBulkJob(l.world, l.id, out.Bulk)
		}
		l.peers.onActed(l.world, l.id, log.Held, log.Applied)
		l.sums.onActed(l.world, l.id, l.terms.Replicas)
		l.questions.onActed(l.world, &log, now, l.terms.Replicas, 16*l.terms.Driver.Core.Paxos.Retransmit, out)
		if l.requests.hasPending() {
			m, ops := n.Master(), n.NodeOps()
			l.requests.onActed(l.world, l.id, m.State, m.Pending, ops.UnderWay+ops.Waiting+ops.Held)
		}
		if l.quorum.isLeading() {
			l.quorum.onActed(l.world, now, l.terms.Replicas, 2*l.terms.Driver.Core.Paxos.ElectionMax, log)
		}
		if t := out.Tenure; t != nil && t.Mine {
			l.quorum.onLead(now)
		}
		l.checkBackupAge(now, n, log.Role, log.Count.Refused, proposed)
	}
	l.requests.onStepEnd()
	l.idleLog.onActed(l.world, l.id, now, l.terms.Driver.IdleAfter, &out.Output, l.host.Waiting())
	l.retry.onActed(l.world, l.id, now, l.terms.Driver.RetryAfter, &out.Output, l.isSnapshotDue() && !l.source.isBusy(now, l.quiet()))
	if _, writes := out.Bulk.(driver.WriteJob); writes {
		l.source.onSnapshot(l.world, l.id, now, l.quiet())
	}
}

// quiet returns how long a peer that is fetching a snapshot may be silent.
func (l *Life) quiet() time.Duration { return 8 * l.terms.Driver.Core.Paxos.Retransmit }

func (l *Life) checkBackupAge(now time.Time, n *core.Replica, role paxos.Role, refused uint64, proposed []command.Command) {
	if l.terms.Driver.BackupEvery == 0 {
		return
	}
	s := n.Serving()
	if s == nil || role != paxos.Leader { // it steps down in this step
		l.backup.stop()
		return
	}
	if _, founded := rows.CellID(n.View()); founded {
		l.backup.onActed(l.world, l.id, now, s.Epoch, n.Backup(), proposed, refused)
	}
}

// OnWake checks, after OnActed, a step that only the passing of time caused.
func (l *Life) OnWake(now time.Time) {
	l.elections.onWake(l.world, l.id, now, l.terms.Driver.Core.Paxos.ElectionMin)
	l.backup.onWake(l.world, l.id, now, l.terms.Driver.BackupEvery, l.terms.Driver.RetryAfter)
}

// OnLogDone records the end of a log job, before the driver takes it.
func (l *Life) OnLogDone(now time.Time, j *driver.LogJob) { l.idleLog.onLogDone(now, j) }

// OnBulkDone records the result of a snapshot job, before the driver takes it.
func (l *Life) OnBulkDone(now time.Time, result driver.BulkResult) {
	l.source.onBulkDone(now, result, l.terms.Driver.HoldFor)
	l.retry.onBulkDone(now, result)
	l.peers.setBulkBusy(false)
	l.fetching.onBulkDone(result)
	l.questions.onBulkDone(result)
}

// IsOvertaking reports whether a peer was fetching a snapshot when the latest one was begun.
func (l *Life) IsOvertaking() bool { return l.source.isOvertaking }

// isSnapshotDue reports whether so many slots were applied since the newest snapshot that
// another one is due, whatever their size.
func (l *Life) isSnapshotDue() bool {
	n := l.host.Core()
	return n != nil && n.Status().Applied >= l.host.SnapshotSlot()+l.terms.Driver.SnapshotEvery
}
