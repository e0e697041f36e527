package core

import (
	"fmt"
	"slices"
	"time"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/internal/instant"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/state/command"
)

// SumReport says which checksum the rows of its sender had after a slot. It goes
// from replica to replica, and may be lost.
type SumReport struct {
	Slot paxos.Slot
	Sum  db.Sum
}

// AuditCounters count since the process started; for reports only.
type AuditCounters struct {
	Summed     uint64 // times that the checksum of all rows was computed
	Compared   uint64 // reports of others compared with the own sum of that slot
	Disagreed  uint64 // of them, those that named another sum
	Overlapped uint64 // checksum commands met while the last sum was not finished
}

// audit compares the rows of this replica with those of the others (PML §6.2).
// doc.go says who stops, with which evidence, and why.
type audit struct {
	self    paxos.NodeID
	members []paxos.NodeID
	slice   int       // rows summed at a time
	last    time.Time // when a checksum command was last applied
	walk    *db.SumScan
	slot    paxos.Slot // of walk
	begun   bool       // walk has taken in rows
	own     SumReport  // the last one finished; Slot 0: none
	others  map[paxos.NodeID]SumReport
	unsent  *SumReport // to be sent
	count   AuditCounters
}

func newAudit(cfg *Config, now time.Time) audit {
	return audit{
		self: cfg.Paxos.ID, members: cfg.Paxos.Members, slice: cfg.ChecksumRows, last: now,
		others: map[paxos.NodeID]SumReport{},
	}
}

// begin notes that a checksum command stands in slot s, after which the rows are
// view. A sum that has begun is finished first; one that has not, as when a log
// is read back, gives way.
func (a *audit) begin(s paxos.Slot, view db.View, now time.Time) {
	a.last = now
	if a.walk != nil && a.begun {
		a.count.Overlapped++
		return
	}
	a.walk, a.slot, a.begun = view.SumScan(), s, false
}

// step sums some rows. It returns why this replica must stop, or nil.
func (a *audit) step() error {
	if a.walk == nil {
		return nil
	}
	a.begun = true
	if !a.walk.Step(a.slice) {
		return nil
	}
	sum, kept := a.walk.Sum(), a.walk.Maintained()
	a.walk = nil
	a.count.Summed++
	if sum != kept {
		return fmt.Errorf("replica %d stops: after slot %d: %w: checksum %v, kept %v", a.self, a.slot, ErrMemory, sum, kept)
	}
	a.own = SumReport{Slot: a.slot, Sum: sum}
	a.unsent = &SumReport{Slot: a.slot, Sum: sum}
	for _, id := range a.members {
		a.compare(id)
	}
	return a.verdict()
}

// report takes in what another replica says. Only its latest slot counts.
func (a *audit) addReport(from paxos.NodeID, r SumReport) error {
	if r.Slot < a.others[from].Slot {
		return nil
	}
	a.others[from] = r
	a.compare(from)
	return a.verdict()
}

func (a *audit) compare(id paxos.NodeID) {
	if r, told := a.others[id]; told && r.Slot == a.own.Slot {
		a.count.Compared++
		if r.Sum != a.own.Sum {
			a.count.Disagreed++
		}
	}
}

func (a *audit) verdict() error {
	_, err := Judge(a.self, a.members, a.own, a.others)
	return err
}

// Judge says what the reports of others mean for rows of which mine is true. Only
// those of its slot count; silence is neither agreement nor disagreement.
//
// agreed: a majority of the members, self among them, has these rows. As no
// majority is wrong, the rows are right.
//
// ErrMinority: so many members had other rows that those with these cannot be a
// majority, whatever the others will say. The replica must stop.
func Judge(self paxos.NodeID, members []paxos.NodeID, mine SumReport, others map[paxos.NodeID]SumReport) (agreed bool, err error) {
	same, differ, other := 1, 0, SumReport{}
	for _, id := range members {
		r, told := others[id]
		switch {
		case !told || id == self || r.Slot != mine.Slot:
		case r.Sum == mine.Sum:
			same++
		default:
			differ, other = differ+1, r
		}
	}
	n := len(members)
	majority := n/2 + 1
	if differ <= n-majority {
		return same >= majority, nil
	}
	return false, fmt.Errorf("replica %d stops: after slot %d: %w: checksum %v, %d of %d have others, such as %v",
		self, mine.Slot, ErrMinority, mine.Sum, differ, n, other.Sum)
}

// forget gives up what is known of rows that were replaced: they are no reason to
// stop any more.
func (a *audit) forget() { a.walk, a.own, a.unsent = nil, SumReport{}, nil }

// wake is when step wants to be called; zero: no need.
func (a *audit) wake(now time.Time) time.Time {
	if a.walk == nil {
		return time.Time{}
	}
	return now
}

// tendAudit asks for a comparison when it is due, and does a part of the one
// under way. A fail-over is no reason to wait: wrong rows may be what keeps it from
// its end.
func (r *Replica) advanceAudit() {
	if r.hasEpoch && !r.now.Before(r.checksumDue()) {
		raw := command.Append(nil, command.Checksum{})
		if r.paxos.Propose(r.now, raw) == nil {
			r.observeProposed(raw)
			r.audit.last = r.now // or it would be proposed again until it is applied
		}
	}
	r.stopOn(r.audit.step())
}

func (r *Replica) checksumDue() time.Time { return r.audit.last.Add(r.cfg.ChecksumEvery) }

// auditWake is when tendAudit has something to do. What the log does not take is due
// already, and to wake for it at once would be to wake without end.
func (r *Replica) auditWake() time.Time {
	if !r.hasEpoch || !r.paxos.CanPropose() {
		return r.audit.wake(r.now)
	}
	return instant.Earliest(r.audit.wake(r.now), r.checksumDue())
}

// SumReport takes in which rows another replica has.
func (r *Replica) SumReport(now time.Time, from paxos.NodeID, report SumReport) {
	r.now = now
	if from != r.cfg.Paxos.ID && slices.Contains(r.cfg.Paxos.Members, from) {
		r.stopOn(r.audit.addReport(from, report))
	}
}

// must makes the first reason to stop final.
func (r *Replica) stopOn(err error) {
	if r.stop == nil {
		r.stop = err
	}
}

// Audit counts what came of comparing rows.
func (r *Replica) Audit() AuditCounters { return r.audit.count }

// Stray writes a row, by its key in the db, in the memory of this replica alone,
// as no log has said. It is a fault, for tests and simulators: comparing rows must
// stop this replica.
func (r *Replica) CorruptRow(key, value string) {
	tx := r.db.Begin()
	tx.Put(key, value)
	tx.Commit()
}

// Rot is Stray behind the back of the checksum, which each replica keeps by itself:
// its own rows, and no other replica's, tell it.
func (r *Replica) RotRow(key, value string) { r.db.Rot(key, value) }
