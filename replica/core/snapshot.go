package core

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// Snapshot returns the rows as they are now, and the handle that belongs to them (P7.02). Later
// commands do not change the view.
func (r *Replica) Snapshot() (paxos.Handle, db.View) {
	view := r.db.View()
	return r.handle(r.paxos.Status().Applied, view), view
}

// handle returns the handle of the rows after a slot.
func (r *Replica) handle(slot paxos.Slot, from rows.Reader) paxos.Handle {
	e := rows.GetEpoch(from)
	return paxos.Handle{
		Slot:    slot,
		Ballot:  ballot(e.Ballot),
		Members: slices.Sorted(slices.Values(r.cfg.Paxos.Members)),
		Epoch:   uint64(e.Number),
	}
}

// Truncate makes the log drop slots that a durable snapshot covers, see paxos.Node.Truncate.
func (r *Replica) Truncate(now time.Time, below paxos.Slot) {
	r.now = now
	r.paxos.Truncate(now, below)
}

// Install replaces the rows by those of a durable snapshot of another replica; this Replica owns all
// from now on. If it has already applied the slots of the snapshot, it changes nothing and returns
// false. If this replica led, its tenure is over. Its waiting requests are answered when the log
// reports the end of the tenure: their outcome is unknown.
func (r *Replica) Install(now time.Time, h paxos.Handle, all *db.DB) bool {
	r.now = now
	r.verifyHandle(h, all)
	if !r.paxos.Installed(now, h) {
		return false
	}
	r.db = all
	r.audit.forget()
	r.checkConstants() // the commands that set constants may be among those that were skipped
	r.master.Installed(rows.GetEpoch(all))
	if r.cfg.Observer != nil {
		r.cfg.Observer.OnInstalled(Installed{Handle: h, Sum: all.Checksum()})
	}
	return true
}

// verifyHandle panics unless the handle of a snapshot describes the rows in it (I-S2).
func (r *Replica) verifyHandle(h paxos.Handle, all *db.DB) {
	if want := r.handle(h.Slot, all); !h.Equal(want) {
		invariant.Failf("I-S2", "replica %d: a snapshot says %v, its rows %v", r.cfg.Paxos.ID, h, want)
	}
}
