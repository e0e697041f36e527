package core

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master"
	"github.com/chubbycell/chubby/replica/state/command"
)

// ReadCounters count since the process started; for reports only.
type ReadCounters struct {
	Local   uint64 // reads answered without the log
	Logged  uint64 // reads that went through the log because the lease was over
	Drifted uint64 // reads of Logged that the lease would have covered without its margin for clock drift
}

// at returns the instant, the rows and the lease for the master. The driver read the instant after
// the input came in, and the master answers from these rows within the same call (P4.01). From the
// lease given here, calls.Table.CanAnswerNow decides whether it may answer without a command.
func (r *Replica) at() master.At {
	at := master.At{Now: r.now, Rows: r.db}
	if r.hasReadAuthority() {
		at.Lease = r.paxos.Lease()
	}
	return at
}

// hasReadAuthority reports whether the lease of the log belongs to the tenure in which the master
// has its epoch. If it belongs to a later tenure, of which the master has not been told yet, that
// may begin with slots that the rows lack (P4.11).
func (r *Replica) hasReadAuthority() bool {
	t := r.paxos.Leading()
	state, b := r.master.State()
	return t.Mine && state.HasEpoch() && t.Ballot == ballot(b)
}

// countLoggedRead counts q if it is a read that went through the log because the lease was over.
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

// Reads returns the counters of reads.
func (r *Replica) Reads() ReadCounters {
	all := r.reads
	all.Local = r.master.Status().Counters.Read
	return all
}
