package command

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// Command is one of the structs of this file, or NodeCommand, and of no other package.
type Command interface{ command() }

// Epoch begins a new epoch: the first command that a master proposes in a
// tenure, above all slots that its phase 1 closed (PML §5.3). It has no guard.
// It raises the epoch also when it comes late, because a later leader found it in a vote.
// Then no replica is master in the epoch it begins, and that leader's own command ends it.
type Epoch struct {
	Master uint32
	Ballot rows.Ballot
}

// Call is the command for one copy of a client's request. Session, Seq and AckedThrough
// are those of the request; OpenSession has none. Op is EndSession, an op on user rows, or
// OpenSession; with OpenSession, Principal is the client's, as the transport has
// authenticated it.
type Call struct {
	Guard        api.Epoch // present when the copy was received (P5.01)
	Session      api.SessionID
	Seq          api.Seq
	AckedThrough api.Seq
	Op           api.Op
	Principal    api.Principal // with OpenSession; empty: the session is no principal's
}

// Constant sets a replicated constant, for ever. OK if the constant now has this value,
// otherwise Conflict with the value it has.
type Constant struct {
	Guard       api.Epoch
	Name, Value string
}

// Checksum asks every replica to sum its rows behind the slot in which the
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
// also if the node was deleted.
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

// ConfirmLeadership changes nothing but the command counter. That it is executed proves
// that its guard was the present epoch at its place in the log: a master without read
// authority proposes it to learn that it still leads.
type ConfirmLeadership struct{ Guard api.Epoch }

// Backup records the slot of the newest backup, or for how long masters have served since
// the one that is recorded: a new master continues from there (C14.03). It is refused with
// Conflict if as much is recorded already.
type Backup struct {
	Guard api.Epoch
	Done  rows.Backup
}

// SetLimits sets limits of the cell. A limit of 0 stays as it is. What is above a new limit
// stays, and may not grow. It is refused with NotFound in a cell that was not founded.
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
