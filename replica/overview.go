package replica

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// Overview is how a replica is, and how its cell is as far as the replica knows, for an
// operator. Counts are of all; a list has no more entries than were asked for. The parts
// are read one after the other while the replica goes on, so they may differ by what
// happened meanwhile.
//
// Facts of rows are known to each replica. What only the present master remembers is unknown
// at the others; IsMaster says which one this is.
type Overview struct {
	Status
	IsMaster bool   // it is in an epoch of its own, serving or not yet
	Master   uint32 // of the newest epoch

	Ballot   paxos.Ballot  // of the attempt or the tenure of this replica; zero: it follows
	Promised paxos.Ballot  // it accepts nothing below
	Lease    time.Duration // until the end of its read authority; 0: it has none
	Holder   paxos.NodeID  // of the grant that it gives now; 0: none
	Granted  time.Duration // until the end of that grant
	HoldOff  time.Duration // for which it still promises nothing, after a restart

	FirstOpen paxos.Slot // the first that is not known to be chosen
	Floor     paxos.Slot // below, votes and values were dropped
	InFlight  int        // slots that this leader proposed in and does not know as chosen yet
	Rows      int        // of the database
	RowBytes  int64      // keys and values together
	Limits    tree.Limits
	Members   []Member // in the order of their ids, this replica among them

	Disagreed uint64 // sums of rows that members told, and that were not those of this replica, in this life

	Handles, Waiting int // open handles, and Acquires that wait, at this master
	Unacked          int // sessions that the fail-over waits for
	Held, Delayed    int // locks that are held, and lock-delays that run

	FirstSessions []Session // by id
	FirstUnacked  []Session // those that the fail-over waits for, by id
	FirstLocks    []Lock    // that are held, in the order in which their nodes were made
	FirstDelays   []Delay   // at this master those that end first, in this order; else by node
}

// Member is a member of the cell.
type Member struct {
	ID            paxos.NodeID
	IsLeader      bool          // as far as this replica knows
	Silent        time.Duration // since it last answered this leader; 0 where this replica does not lead
	Counted       time.Duration // until the end of its grant, as this leader counts it
	HasOtherRows  bool          // than this replica had, when they were compared last
	IsThisReplica bool
}

// Session is a session that is alive. The fields behind Locks are what the master remembers.
type Session struct {
	ID        api.SessionID
	Principal api.Principal
	Locks     int // that it holds

	IsKnown  bool          // the master remembers it
	Lease    time.Duration // until the end of its lease
	HasAcked bool          // the epoch
	Expiring bool          // its end is proposed
	Handles  int           // that are open
}

// SessionDetail is a session with its open handles, as far as this replica is master, and with
// what it holds.
type SessionDetail struct {
	Session
	Open []handle.Handle
	Held []lock.Holding
}

// Lock is a lock that is held.
type Lock struct {
	Node    api.Ref
	State   lock.State
	Holders []lock.Owner // the first of them, no more than MostHolders
	Waiting int          // Acquires that wait for it, at this master
}

// MostHolders is how many holders of a Lock are listed.
const MostHolders = 8

// Delay is a lock-delay that runs.
type Delay struct {
	Node api.Ref
	// Left is the time until its end, if this replica is master. Else it is the whole length,
	// and IsWhole is set.
	Left    time.Duration
	IsWhole bool
}
