package replica

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// Overview describes, for an operator, a replica and its cell as far as the replica knows it.
// Counts are complete; a list has no more entries than were asked for. The parts are read one
// after the other while the replica goes on, so they may not belong to one instant.
//
// Every replica knows what stands in the rows. Only the present master knows what it remembers
// beside them; IsMaster says whether this replica is the master.
type Overview struct {
	Status
	IsMaster bool   // it is in an epoch of its own, whether it serves yet or not
	Master   uint32 // of the newest epoch

	Ballot   paxos.Ballot  // of the campaign or the tenure of this replica; zero: it follows
	Promised paxos.Ballot  // this replica accepts nothing below it
	Holder   paxos.NodeID  // the replica to which it gives a grant now; 0: none
	Granted  time.Duration // until the end of that grant
	HoldOff  time.Duration // until the end of the restart hold-off

	FirstOpen paxos.Slot // the first slot that it does not know as chosen
	Floor     paxos.Slot // it has dropped the votes and values of the slots below
	InFlight  int        // slots from the first open one to the last one in which this leader proposed
	Rows      int        // of the database
	RowBytes  int64      // keys and values together
	Limits    tree.Limits
	Members   []Member // in the order of their ids, this replica among them

	Handles, Waiting int // open handles, and Acquires that wait, at this master
	Held, Delayed    int // locks that are held, and lock-delays that run

	FirstSessions []Session // by id
	FirstUnacked  []Session // that the fail-over waits for, by id
	FirstLocks    []Lock    // that are held, in the order in which their nodes were made
	FirstDelays   []Delay   // at the master: by end, the first one first; elsewhere: by node
}

// Member is a member of the cell.
type Member struct {
	ID            paxos.NodeID
	IsLeader      bool          // as far as this replica knows
	Silent        time.Duration // since it last answered this leader; 0 if this replica does not lead
	Counted       time.Duration // until the end of its grant, as this leader counts it
	HasOtherRows  bool          // its rows differed from those of this replica at the last comparison
	IsThisReplica bool
}

// Session is a session that is alive. The fields after Locks come from the memory of the master.
type Session struct {
	ID        api.SessionID
	Principal api.Principal
	Locks     int // that it holds

	IsKnown     bool          // this replica is the master and remembers the session; else the rest is zero
	Lease       time.Duration // until the end of its lease
	HasAcked    bool          // it has acknowledged the epoch
	Expiring    bool          // its end is proposed
	IsDismissed bool          // an operator has ordered its end: see Dismiss
	Handles     int           // that it has open
}

// SessionDetail is a session, with its open handles and the locks that it holds. Only the master
// knows open handles.
type SessionDetail struct {
	Session
	Open []handle.Handle
	Held []lock.Holding
}

// Lock is a lock that is held.
type Lock struct {
	Node    api.Ref
	State   lock.State
	Holders []lock.Owner // the first MostHolders of them
	Waiting int          // Acquires that wait for it, at this master
}

// MostHolders is how many holders of a Lock are listed.
const MostHolders = 8

// Delay is a lock-delay that runs.
type Delay struct {
	Node api.Ref
	// Left is the time until its end, if this replica is the master. Elsewhere it is the whole
	// length, and IsWhole is set.
	Left    time.Duration
	IsWhole bool
	Waiting int // Acquires that wait for the lock, at this master
}
