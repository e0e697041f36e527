package command

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// Command is one of the structs of this file, or NodeCommand. No other package has commands.
type Command interface{ command() }

// Epoch begins a new epoch: the first command that a master proposes in a
// tenure, above all slots that its phase 1 closed (PML §5.3). It has no guard.
// It raises the epoch even if it is late, because a later leader has found it in a vote and
// proposed it again. Then no replica is master in the epoch that it begins, and the later
// leader's own Epoch command ends that epoch.
type Epoch struct {
	Master uint32
	Ballot rows.Ballot
}

// Call is the command for one copy of a client's request. Session, Seq and AckedThrough
// are those of the request; OpenSession has none. Op is EndSession, an op on user rows, or
// OpenSession; with OpenSession, Principal is the client's, as the transport has
// authenticated it.
type Call struct {
	Guard        api.Epoch // the present epoch when the copy was received (P5.01)
	Session      api.SessionID
	Seq          api.Seq
	AckedThrough api.Seq
	Op           api.Op
	Principal    api.Principal // with OpenSession; empty: the session belongs to no principal
}

// Constant sets a replicated constant, for ever. Its result is OK if the constant now has this
// value, or else Conflict with the value that it has.
type Constant struct {
	Guard       api.Epoch
	Name, Value string
}

// Checksum asks every replica to sum its rows after the slot in which the
// command stands (PML §6.2). It changes nothing but the command counter, so it needs no
// guard: one of an earlier epoch does no harm.
type Checksum struct{}

// Found makes the tree of a new cell and sets the secret that seals its tokens. It
// is refused with Exists in a cell that was founded before, and otherwise with the codes
// of tree.Make.
type Found struct {
	Guard    api.Epoch
	Founding tree.Founding
	Secret   [32]byte // drawn by the master; not all zeroes
}

// Expire ends a session whose lease is over. Its locks are freed as those of a failed
// holder, with their lock-delays. It is refused with NoSession if the session has ended.
type Expire struct {
	Guard   api.Epoch
	Session api.SessionID
}

// FailHandle frees the lock of a handle that its client did not present to the new master,
// as that of a failed holder; the session lives on. It is refused with NoSession, or with
// NotHeld if the handle holds nothing.
type FailHandle struct {
	Guard   api.Epoch
	Session api.SessionID
	Handle  api.HandleID
}

// DelayOver ends the lock-delay of a node that began with the command Freed: the delay has
// passed on the master's clock. It is refused with NotFound if no such delay is running,
// as when the node was deleted.
type DelayOver struct {
	Guard api.Epoch
	Node  api.Ref
	Freed api.Number
}

// Sweep deletes an ephemeral node that no client has open. It is refused with Gone, with
// Invalid for a node that is not ephemeral, or with NotEmpty.
type Sweep struct {
	Guard api.Epoch
	Node  api.Ref
}

// LongestLease sets the row of rows.GetLongestLease. It stands in the log before
// the master grants a session lease that is longer than the row says.
type LongestLease struct {
	Guard api.Epoch
	Lease time.Duration
}

// ConfirmLeadership changes nothing but the command counter. Its execution proves that its
// guard was the present epoch at its place in the log. A master without read authority
// proposes it to learn that it was still master when it did so.
type ConfirmLeadership struct{ Guard api.Epoch }

// Backup records the slot of the newest backup, or for how long masters have served since
// the recorded one, so that a new master continues from there (C14.03). It is refused with
// Conflict if the rows record as much already.
type Backup struct {
	Guard api.Epoch
	Done  rows.Backup
}

// SetLimits sets limits of the cell; those that are 0 here stay as they are. Principals and
// directories above a new limit keep what they have, but may not grow. It is refused with
// NotFound in a cell that was not founded.
type SetLimits struct {
	Guard    api.Epoch
	Nodes    tree.Limits
	Sessions uint64 // that may be alive at one time; no more than rows.MaxSessions
}

func (Epoch) command()             {}
func (Call) command()              {}
func (NodeCommand) command()       {}
func (Constant) command()          {}
func (Checksum) command()          {}
func (Found) command()             {}
func (Expire) command()            {}
func (FailHandle) command()        {}
func (DelayOver) command()         {}
func (Sweep) command()             {}
func (LongestLease) command()      {}
func (ConfirmLeadership) command() {}
func (Backup) command()            {}
func (SetLimits) command()         {}

// Limits of a Constant, in bytes. The name is not empty.
const (
	MaxConstantName  = 64
	MaxConstantValue = 1 << 10
)

func (c FailHandle) owner() lock.Owner { return lock.Owner{Session: c.Session, Handle: c.Handle} }
