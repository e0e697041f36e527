package core

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master"
	"github.com/chubbycell/chubby/replica/state/command"
)

// ReadCounters count since the process started; for reports only.
type ReadCounters struct {
	Local   uint64 // reads answered without the log
	Logged  uint64 // reads that went through the log for want of a lease
	Drifted uint64 // of them, those that only the margin for clocks kept from being answered
}

// at is this instant for the master. It was read after the input came in, and
// there is no later look: what the master answers is what the rows are within the
// same call (P4.01). Whether that may be without a command is for
// calls.Table.CanAnswerNow to say, from the lease given here.
func (r *Replica) at() master.At {
	at := master.At{Now: r.now, Rows: r.db}
	if r.hasReadAuthority() {
		at.Lease = r.paxos.Lease()
	}
	return at
}

// authorized says that the log's lease is that of the tenure which the master is
// in: a later one, not yet told of, may begin with slots that the rows lack
// (P4.11).
func (r *Replica) hasReadAuthority() bool {
	t := r.paxos.Leading()
	state, b := r.master.State()
	return t.Mine && state.HasEpoch() && t.Ballot == ballot(b)
}

// noteLogged counts a read that the master had no authority to answer.
func (r *Replica) countLoggedRead(q api.Request) {
	lease, at := r.cfg.Paxos.Lease, r.at()
	if lease.Grant == 0 || !command.IsRead(q.Op) || !r.hasReadAuthority() || at.HasAuthority() {
		return
	}
	r.reads.Logged++
	if at.Now.Before(at.Lease.Add(lease.Grant - lease.Term())) {
		r.reads.Drifted++
	}
}

// Reads are the counters of reads.
func (r *Replica) Reads() ReadCounters {
	all := r.reads
	all.Local = r.master.Status().Counters.Read
	return all
}
