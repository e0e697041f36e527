package replica

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
)

// EventKind says what happened.
type EventKind string

// The kinds of events. Each comment names the fields of Event that are set, beside At, Kind and Replica.
const (
	// EventState is the first event of each Listener. It tells the present Role, Leader, Epoch and Serving.
	EventState EventKind = "state"
	// EventRole: the role of the replica in its log changed from Was to Role. If Was is the leader's,
	// Reason says why the replica no longer leads.
	EventRole EventKind = "role"
	// EventLeader: the replica learnt of another Leader of its log; 0: it knows none.
	EventLeader EventKind = "leader"
	// EventEpoch: the replica applied the command that begins Epoch, of the master Leader.
	EventEpoch EventKind = "epoch"
	// EventServing: the replica began, or ceased, to serve clients as the master in Epoch; Serving says which.
	EventServing EventKind = "serving"
	// EventLease: the replica, which leads, gained or lost the master lease; Leased says which.
	EventLease EventKind = "lease"
	// EventSnapshot: a snapshot of the rows up to Slot was written, or came from another replica.
	EventSnapshot EventKind = "snapshot"
	// EventSnapshotFailed: a snapshot could not be written; Reason says why.
	EventSnapshotFailed EventKind = "snapshot failed"
	// EventSessionExpired: the master ended Session, because it no longer heard from the client.
	EventSessionExpired EventKind = "session expired"
	// EventLockDelay: a lock-delay of Delay seconds began on the node Path with the number Instance.
	EventLockDelay EventKind = "lock-delay"
	// EventMember: Member has not answered this leader for Silent seconds, or answers again: then
	// Silent is 0.
	EventMember EventKind = "member"
	// EventDropped: Count events are missing here, because the Listener had no room for them.
	EventDropped EventKind = "dropped"
	// EventStopped is the last event: the replica has ended. Reason says why; it is empty after Stop.
	EventStopped EventKind = "stopped"
)

// Event is one thing that happened at a replica. Fields that its Kind does not use are zero, and
// absent from the JSON. The JSON names are a contract: they do not change.
type Event struct {
	At      time.Time    `json:"at"` // by the wall clock of the machine
	Kind    EventKind    `json:"event"`
	Replica paxos.NodeID `json:"replica"`

	Role     paxos.Role    `json:"role,omitempty"`
	Was      paxos.Role    `json:"was,omitempty"`
	Reason   string        `json:"reason,omitempty"`
	Leader   paxos.NodeID  `json:"leader,omitempty"`
	Epoch    api.Epoch     `json:"epoch,omitempty"`
	Serving  *bool         `json:"serving,omitempty"`
	Leased   *bool         `json:"leased,omitempty"`
	Slot     paxos.Slot    `json:"slot,omitempty"`
	Session  api.SessionID `json:"session,omitempty"`
	Path     string        `json:"path,omitempty"`
	Instance api.Instance  `json:"instance,omitempty"`
	Delay    float64       `json:"delay_seconds,omitempty"`
	Member   paxos.NodeID  `json:"member,omitempty"`
	Silent   *float64      `json:"silent_seconds,omitempty"`
	Count    uint64        `json:"count,omitempty"`
}
