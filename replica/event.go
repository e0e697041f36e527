package replica

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
)

// EventKind says what happened.
type EventKind string

// The kinds of events, and which fields of Event they have beside At, Kind and Replica.
const (
	// EventState is the first of each Listener, and tells how the replica is: Role, Leader, Epoch, Serving.
	EventState EventKind = "state"
	// EventRole: the replica has another Role in its log, which was Was. If it led, Reason says why it does no more.
	EventRole EventKind = "role"
	// EventLeader: the replica knows another Leader of its log; 0: none.
	EventLeader EventKind = "leader"
	// EventEpoch: an Epoch began, of the master Leader, as the log says.
	EventEpoch EventKind = "epoch"
	// EventServing: the replica began, or ceased, to serve clients as the master in Epoch; Serving says which.
	EventServing EventKind = "serving"
	// EventLease: the replica leads, and has lost or gained its master's lease; Leased says which.
	EventLease EventKind = "lease"
	// EventSnapshot: a snapshot of the rows up to Slot was written, or came from another replica.
	EventSnapshot EventKind = "snapshot"
	// EventSnapshotFailed: a snapshot could not be written; Reason says why.
	EventSnapshotFailed EventKind = "snapshot failed"
	// EventSessionExpired: the master ended a Session whose client was not heard of.
	EventSessionExpired EventKind = "session expired"
	// EventLockDelay: a lock-delay of Delay seconds began on the node Path with the number Instance.
	EventLockDelay EventKind = "lock-delay"
	// EventMember: this leader has not been answered by Member for a while, or is again; Silent, in
	// seconds, says which: 0: it is.
	EventMember EventKind = "member"
	// EventDropped: Count events are missing here, because the Listener had no room for them.
	EventDropped EventKind = "dropped"
	// EventStopped is the last: the replica has ended; Reason is why, empty after Stop.
	EventStopped EventKind = "stopped"
)

// Event is one thing that happened at a replica. Fields that its Kind does not have are zero, and
// missing in JSON; the names there stay.
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
