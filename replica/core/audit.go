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

// SumReport says which checksum the rows of its sender had after a slot. Replicas send it to each
// other; it may be lost.
type SumReport struct {
	Slot paxos.Slot
	Sum  db.Sum
}

// AuditCounters count since the process started; for reports only.
type AuditCounters struct {
	Summed     uint64 // times that the checksum of all rows was computed
	Compared   uint64 // reports of others compared with the own sum after the same slot
	Disagreed  uint64 // compared reports that named another sum
	Overlapped uint64 // checksum commands ignored because the last sum was not finished
}

// audit compares the rows of this replica with those of the others (PML §6.2).
// doc.go says which replica stops, on which evidence, and why.
type audit struct {
	self    paxos.NodeID
	members []paxos.NodeID
	slice   int       // rows summed at a time
	last    time.Time // when a checksum command was last applied
	walk    *db.SumScan
	slot    paxos.Slot // after which the rows of walk were frozen
	begun   bool       // walk has summed some rows
	own     SumReport  // the last own sum; Slot 0: there is none
	others  map[paxos.NodeID]SumReport
	unsent  *SumReport // the own sum that the next Output carries; nil: none
	count   AuditCounters
}

func newAudit(cfg *Config, now time.Time) audit {
	return audit{
		self: cfg.Paxos.ID, members: cfg.Paxos.Members, slice: cfg.ChecksumRows, last: now,
		others: map[paxos.NodeID]SumReport{},
	}
}

// begin takes in a checksum command in slot s; view has the rows after that slot. If some rows of
// the last view are summed already, that sum is finished and the new command is ignored. If none
// are, as while a log is read back, the new view replaces it.
func (a *audit) begin(s paxos.Slot, view db.View, now time.Time) {
	a.last = now
	if a.walk != nil && a.begun {
		a.count.Overlapped++
		return
	}
	a.walk, a.slot, a.begun = view.SumScan(), s, false
}

// step sums some rows. If the sum shows that this replica must stop, it returns why.
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

// addReport takes in a report of another replica. Only the one of its latest slot counts. If the
// reports show that this replica must stop, it returns why.
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

// Judge compares the report of this replica, mine, with the latest reports of the others. Only
// reports about the slot of mine count; silence is neither agreement nor disagreement.
//
// agreed: a majority of the members, self included, has the same rows. They are right, since it is
// assumed that no majority is wrong.
//
// ErrMinority: so many members had other rows that no majority can have the rows of mine, whatever
// the silent members will report. The replica must stop.
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

// forget drops the sums of rows that a snapshot has replaced: they are no longer a reason to stop.
func (a *audit) forget() { a.walk, a.own, a.unsent = nil, SumReport{}, nil }

// wake returns when step is to be called; zero: it has nothing to do.
func (a *audit) wake(now time.Time) time.Time {
	if a.walk == nil {
		return time.Time{}
	}
	return now
}

// advanceAudit proposes a checksum command when one is due, and does a part of the sum under way.
// It does not wait for the end of a fail-over, since wrong rows may be what keeps the fail-over from
// ending.
func (r *Replica) advanceAudit() {
	if r.hasEpoch && !r.now.Before(r.checksumDue()) {
		raw := command.Append(nil, command.Checksum{})
		if r.paxos.Propose(r.now, raw) == nil {
			r.observeProposed(raw)
			r.audit.last = r.now // else it would be proposed again until it is applied
		}
	}
	r.stopOn(r.audit.step())
}

func (r *Replica) checksumDue() time.Time { return r.audit.last.Add(r.cfg.ChecksumEvery) }

// auditWake returns when advanceAudit has something to do. While the log has no room, a checksum
// command that is due does not count: the replica would wake for it again and again in vain.
func (r *Replica) auditWake() time.Time {
	if !r.hasEpoch || !r.paxos.CanPropose() {
		return r.audit.wake(r.now)
	}
	return instant.Earliest(r.audit.wake(r.now), r.checksumDue())
}

// SumReport takes in a report from another replica. Reports from non-members are ignored. If the
// report shows that this replica must stop, the next Output says so.
func (r *Replica) SumReport(now time.Time, from paxos.NodeID, report SumReport) {
	r.now = now
	if from != r.cfg.Paxos.ID && slices.Contains(r.cfg.Paxos.Members, from) {
		r.stopOn(r.audit.addReport(from, report))
	}
}

// stopOn makes the replica stop for the reason err, unless err is nil or it has a reason already.
func (r *Replica) stopOn(err error) {
	if r.stop == nil {
		r.stop = err
	}
}

// Audit returns the counters of the comparison of rows.
func (r *Replica) Audit() AuditCounters { return r.audit.count }

// CorruptRow writes a row, by its key in the db, in the memory of this replica alone, without a
// command in the log. It is a fault for tests and simulators: the comparison of rows must stop this
// replica.
func (r *Replica) CorruptRow(key, value string) {
	tx := r.db.Begin()
	tx.Put(key, value)
	tx.Commit()
}

// RotRow writes a row like CorruptRow, but does not update the checksum that the db keeps while it
// is written. So this replica finds the fault alone (ErrMemory), without the reports of others.
func (r *Replica) RotRow(key, value string) { r.db.Rot(key, value) }
