package node

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/command"
)

// Read is a call that was answered from the rows, without the log.
type Read struct {
	Session api.SessionID
	Seq     api.Seq
	Result  api.Result
}

// ReadCounters count since the process started; for reports only.
type ReadCounters struct {
	Alone   uint64 // reads answered without the log
	Logged  uint64 // reads that went through the log for want of a lease
	Drifted uint64 // of them, those that only the margin for clocks kept from being answered
}

// read answers a request without the log, if this replica's read authority holds
// at now, which was read after the request came in. There is no later look: what
// is answered is what the rows are within this very call (P4.01). The lease must be
// that of the tenure which the master serves: a later one, not yet told of, may
// begin with slots that the rows lack (P4.11).
func (n *Node) read(now time.Time, from Addr, q api.Request) bool {
	end, t := n.paxos.Lease(), n.paxos.Leading()
	if n.serving == nil || !t.Mine || t.Ballot != n.serving.Ballot {
		return false
	}
	if !now.Before(end) {
		n.noteLogged(now, end, q)
		return false
	}
	result, ok := n.master.Read(from, q, n.db)
	if ok {
		n.reads.Alone++
		n.out.Reads = append(n.out.Reads, Read{Session: q.Session, Seq: q.Seq, Result: result})
	}
	return ok
}

func (n *Node) noteLogged(now, end time.Time, q api.Request) {
	lease := n.cfg.Paxos.Lease
	if lease.Grant == 0 || !command.Reads(q.Op) {
		return
	}
	n.reads.Logged++
	if now.Before(end.Add(lease.Grant - lease.Term())) {
		n.reads.Drifted++
	}
}

// Reads are the counters of reads.
func (n *Node) Reads() ReadCounters { return n.reads }
