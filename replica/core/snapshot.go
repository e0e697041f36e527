package core

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// Snapshot is the rows as they are now, with the handle that belongs to them
// (P7.02). Applying goes on without touching the view.
func (r *Replica) Snapshot() (paxos.Handle, db.View) {
	view := r.db.View()
	return r.handle(r.paxos.Status().Applied, view), view
}

// handle is what must be said of rows after a slot.
func (r *Replica) handle(slot paxos.Slot, from rows.Reader) paxos.Handle {
	e := rows.GetEpoch(from)
	return paxos.Handle{
		Slot:    slot,
		Ballot:  ballot(e.Ballot),
		Members: slices.Sorted(slices.Values(r.cfg.Paxos.Members)),
		Epoch:   uint64(e.Number),
	}
}

// Truncate lets the log forget slots that a durable snapshot covers, see
// paxos.Node.Truncate.
func (r *Replica) Truncate(now time.Time, below paxos.Slot) {
	r.now = now
	r.paxos.Truncate(now, below)
}

// Installed replaces the rows by those of a durable snapshot from elsewhere. It
// returns false, and changes nothing, where this replica has applied as much by
// now. Requests that wait are answered when the tenure, which is over, is told to
// be: whether they were executed is unknown.
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

// verifyHandle compares what a snapshot says of itself with the rows in it
// (I-S2).
func (r *Replica) verifyHandle(h paxos.Handle, all *db.DB) {
	if want := r.handle(h.Slot, all); !h.Equal(want) {
		invariant.Failf("I-S2", "replica %d: a snapshot says %v, its rows %v", r.cfg.Paxos.ID, h, want)
	}
}
