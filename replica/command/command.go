package command

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/rows"
)

// Command is one of the structs of this file, and of no other package.
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
	Guard     api.Epoch // present when the copy was received (P5.01)
	Session   api.SessionID
	Seq       api.Seq
	Seen      api.Seq
	Op        api.Op
	Principal api.Principal // of OpenSession; empty: nobody
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

func (Epoch) command()    {}
func (Call) command()     {}
func (Constant) command() {}
func (Checksum) command() {}

// Limits of a Constant, in bytes. The name is not empty.
const (
	MaxConstantName  = 64
	MaxConstantValue = 1 << 10
)

// takes says that an op stands in the log as it is.
func takes(op api.Op) bool {
	switch op.(type) {
	case api.OpenSession, api.EndSession, api.Get, api.Put, api.Delete, api.CompareAndSet, api.List:
		return true
	}
	return false
}

// check says OK, or with which code the command is refused whatever the rows
// are.
func check(c Command) api.Code {
	switch c := c.(type) {
	case Call:
		return checkCall(c)
	case Constant:
		if c.Name == "" {
			return api.Invalid
		}
		if len(c.Name) > MaxConstantName || len(c.Value) > MaxConstantValue {
			return api.TooLarge
		}
	case Epoch:
		if c.Master == 0 {
			return api.Invalid
		}
	}
	return api.OK
}

func checkCall(c Call) api.Code {
	if !takes(c.Op) {
		return api.Invalid
	}
	if _, opens := c.Op.(api.OpenSession); c.Principal != "" && (!opens || c.Principal.Check() != api.OK) {
		return api.Invalid
	}
	return api.Request{Session: c.Session, Seq: c.Seq, Seen: c.Seen, Op: c.Op}.Check()
}
