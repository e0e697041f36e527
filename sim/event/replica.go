package event

import (
	"time"

	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
)

// Opens says what the disk of a replica has, beside its log, when a process life begins to read it
// (ondisk.Inventory). The bytes may be damaged in a way that reading them finds.
type Opens struct {
	Replica paxos.NodeID
	Has     string
}

// Recovered says what a process life that starts has read from its replica's disk. It comes
// before any checker looks at it.
type Recovered struct {
	Replica paxos.NodeID
	State   *paxos.Recovered // for the call only
	Report  string           // the damage that recovery found, in one line
}

// Started says that a process life of a replica has recovered its disk and takes input.
type Started struct {
	Replica paxos.NodeID
	Boot    paxos.Boot
	Status  paxos.Status
}

// Ended says that a process life of a replica is over: power cut, kill, or an error of
// its machine or of its rows.
type Ended struct {
	Replica paxos.NodeID
	Boot    paxos.Boot
	Err     error // why the replica stopped itself; nil if a fault ended it
}

// RequestReceived says that a client's request has reached a replica, which has not handled
// it yet.
type RequestReceived struct {
	Replica paxos.NodeID
	Local   time.Time // by the replica's clock
	From    api.Principal
	Request api.Request
}

// ReplySent says that a reply leaves a replica.
type ReplySent struct {
	Replica paxos.NodeID
	Local   time.Time
	To      api.Principal
	Reply   api.Reply
}

// MessageSent says that a replica has sent a message to another replica.
type MessageSent struct {
	From, To paxos.NodeID
	Local    time.Time     // by the sender's clock
	Message  paxos.Message // nil if not of package paxos (transfers, checksums)
	Wire     string        // the bytes
}

// MessageReceived says that a message of another replica has arrived, and is not handled yet.
type MessageReceived struct {
	From, To paxos.NodeID
	Local    time.Time // by the receiver's clock
	Wire     string
}

// Proposed says that a leader has handed commands to the log.
type Proposed struct {
	Replica  paxos.NodeID
	Commands []command.Command
}

// Refused says that a leader's log has not taken a command of its master.
type Refused struct {
	Replica paxos.NodeID
	Command command.Command
}

// Durable says that a replica's disk has synced records.
type Durable struct {
	Replica paxos.NodeID
	Records []paxos.Record // for the call only
	First   paxos.LSN      // the LSN of the first record; 0: unknown
}

// Applied says that a replica has applied a slot.
type Applied struct {
	Replica  paxos.NodeID
	Slot     paxos.Slot
	Commands []command.Applied
}

// Executed says that a command was applied for the first time by any replica. Events of
// this type come in the order of the log, each command once.
type Executed struct {
	At      linearizability.Position
	Command *command.Applied
	Raw     string // as it stands in the log, if the replica took it for no command
}

// SnapshotPublished says that a snapshot of a replica is durable and has its name.
type SnapshotPublished struct {
	Replica paxos.NodeID
	Slot    paxos.Slot
	Fetched bool       // it is one of another replica
	Applied paxos.Slot // that the replica has applied by now
}

// SnapshotInstalled says that a replica has replaced its rows by a snapshot of another.
type SnapshotInstalled struct {
	Replica paxos.NodeID
	Slot    paxos.Slot
}

// TenureChanged says that a replica has changed its view of which replica leads.
type TenureChanged struct {
	Replica paxos.NodeID
	Tenure  paxos.Tenure
}

// LeaseChanged says that the end of a replica's read authority has changed, by its own clock.
// A zero Until says that it has none.
type LeaseChanged struct {
	Replica      paxos.NodeID
	Local, Until time.Time
}

// Serves says that a master has begun to serve clients in an epoch of its own.
type Serves struct {
	Replica paxos.NodeID
	Epoch   api.Epoch
	Ballot  paxos.Ballot
}

// AuditBegun says that an audit of what a replica holds begins. Audits follow only some of
// its inputs, so a fault that one finds may date from any input since the last audit.
type AuditBegun struct {
	Replica paxos.NodeID
	What    string // "memory" or "rows"
}

// AuditPassed says that the audit which began last found nothing wrong.
type AuditPassed struct {
	Replica paxos.NodeID
	What    string
}

// Left says in what state a replica is when the run ends, however it ends.
type Left struct {
	Replica paxos.NodeID
	Local   time.Time      // its clock, as it last read it
	Status  *paxos.Status  // nil: down, or not recovered
	Lease   time.Time      // end of its read authority, by its clock
	Epoch   api.Epoch      // in which it serves; 0: none
	Locks   []lock.Holding // that are held, by its rows; nil if these break an invariant of the lock table
	Delays  []lock.Delay   // that run, by its rows; nil likewise
}

func (Opens) event()             {}
func (Recovered) event()         {}
func (AuditBegun) event()        {}
func (AuditPassed) event()       {}
func (Left) event()              {}
func (Started) event()           {}
func (Ended) event()             {}
func (RequestReceived) event()   {}
func (ReplySent) event()         {}
func (MessageSent) event()       {}
func (MessageReceived) event()   {}
func (Proposed) event()          {}
func (Refused) event()           {}
func (Durable) event()           {}
func (Applied) event()           {}
func (Executed) event()          {}
func (SnapshotPublished) event() {}
func (SnapshotInstalled) event() {}
func (TenureChanged) event()     {}
func (LeaseChanged) event()      {}
func (Serves) event()            {}
