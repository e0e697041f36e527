package command

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// Command is one of the structs of this file, or Act, and of no other package.
type Command interface{ command() }

// Epoch begins a new epoch: the first command that a master proposes in a
// tenure, above all slots that its phase 1 closed (PML §5.3). It has no guard.
// It raises the epoch also when it is late, found in a vote by a later leader:
// then nobody is master in the epoch it begins, and the next leader's own
// command ends it.
type Epoch struct {
	Master uint32
	Ballot rows.Ballot
}

// Call is what one copy of a client's request became. Session, Seq and Seen are
// those of the request; OpenSession has none. Op is EndSession, an op on user
// rows, or OpenSession; then Principal is who asks, as the transport knows it.
type Call struct {
	Guard        api.Epoch // present when the copy was received (P5.01)
	Session      api.SessionID
	Seq          api.Seq
	AckedThrough api.Seq
	Op           api.Op
	Principal    api.Principal // of OpenSession; empty: nobody
}

// Constant sets a replicated constant, for ever. OK if the constant now has
// this value, Conflict with the value it has otherwise.
type Constant struct {
	Guard       api.Epoch
	Name, Value string
}

// Checksum asks every replica to sum its rows behind the slot in which the
// command stands (PML §6.2). It changes nothing but the command counter, and has
// no guard: it does no harm whoever asked.
type Checksum struct{}

// Found makes the tree of a new cell and sets the secret that seals its tokens. It
// is refused with Exists in a cell that was founded before, and else as tree.Make
// says.
type Found struct {
	Guard    api.Epoch
	Founding tree.Founding
	Secret   [32]byte // drawn by the master; not all zeroes
}

// Expire ends a session whose lease is over: its locks are freed as those of a
// holder that failed, with their lock-delays. It is refused with NoSession where
// there is none.
type Expire struct {
	Guard   api.Epoch
	Session api.SessionID
}

// FailHandle frees the lock of a handle that nobody presented to the new master,
// as that of a holder that failed; its session lives on. It is refused with
// NoSession, or with NotHeld where the handle holds nothing.
type FailHandle struct {
	Guard   api.Epoch
	Session api.SessionID
	Handle  api.HandleID
}

// DelayOver ends the lock-delay of a node that began with the command Freed: so
// much time has passed on the master's clock. It is refused with NotFound where
// none is running, which is also said of a node that was deleted.
type DelayOver struct {
	Guard api.Epoch
	Node  api.Ref
	Freed api.Number
}

// Sweep deletes an ephemeral node that nobody has open. It is refused with Gone,
// with Invalid for a node that is not ephemeral, or with NotEmpty.
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

// Confirm changes nothing but the command counter. Where it is executed its guard
// was the present epoch, which is what a master that has no read authority asks
// it for.
type ConfirmLeadership struct{ Guard api.Epoch }

// Backup records in which slot the newest backup was made, or, of the one that is
// recorded, for how long masters have served since: a new master goes on from there
// (C14.03). It is refused with Conflict where as much is recorded already.
type Backup struct {
	Guard api.Epoch
	Done  rows.Backup
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

// Limits of a Constant, in bytes. The name is not empty.
const (
	MaxConstantName  = 64
	MaxConstantValue = 1 << 10
)

func (c FailHandle) owner() lock.Owner { return lock.Owner{Session: c.Session, Handle: c.Handle} }
