package api

// The ops on files, directories and locks (CHU §2.6). Only Open takes a name; all
// others take the token of a handle, and a handle means one instance of its node:
// a call is answered Gone when that was deleted, whatever stands at its path. A
// handle has the rights with which it was opened (else NoRight), until it is closed
// (HandleClosed) or poisoned (HandlePoisoned), and, once a sequencer was attached to it, as
// long as that is valid (StaleSequencer). Beside these codes, each op has the answers that
// its comment names.

// Creation says whether Open may or must make its node.
type Creation uint8

const (
	CreateNever Creation = iota // the node must be there
	CreateMay                   // it is made unless it is there
	CreateMust                  // it must not be there
)

// Valid says that c is one of the above.
func (c Creation) Valid() bool { return c <= CreateMust }

// Open opens a handle. OK with Opened; NotFound, Exists, Permission,
// NotDirectory, Quota, Crowded; Gone where the node of Dir is.
type Open struct {
	Dir    Token  // Path begins here; empty: at the root of the cell
	Path   string // relative to Dir, without a slash in front; empty: the node of Dir itself
	Rights Rights
	Create Creation
	// The rest is about a node that is made, but for Delay. Kind and Ephemeral are
	// not compared with those of a node that is there.
	Kind      NodeKind // zero with CreateNever
	Ephemeral bool
	Contents  string   // of a file
	Names     ACLNames // what is empty is copied from the parent
	Delay     LockDelay
	// Events are what the client wants to hear of the node for as long as the handle is open. Its
	// session hears of it by answers to KeepAlives; one without leases hears nothing.
	Events EventMask
}

// CloseHandle ends a handle, frees the lock that it holds, and cancels its
// Acquire. OK, also where it was closed before.
type CloseHandle struct{ Handle Token }

// Poison makes all other calls on a handle fail, those that wait included, and
// leaves it open. OK.
type Poison struct{ Handle Token }

// GetContents reads a file. OK with Value and NodeStat; IsDirectory.
type GetContents struct{ Handle Token }

// GetStat reads the metadata of a node. OK with NodeStat.
type GetStat struct{ Handle Token }

// ReadDir reads the children of a directory that come after a name. OK with
// Listing; NotDirectory.
type ReadDir struct {
	Handle Token
	After  string // empty: from the first one
	Most   uint64 // children; 0, or more than one answer holds: as many as it holds
}

// SetContents replaces the contents of a file, if When is 0 or their present
// generation. OK with the new NodeStat; Conflict with the present one;
// IsDirectory, Quota.
type SetContents struct {
	Handle   Token
	Contents string
	When     ContentGen
}

// SetACL replaces the three ACL names of a node, if When is 0 or their present
// generation. OK with the new NodeStat; Conflict with the present one.
type SetACL struct {
	Handle Token
	Names  ACLNames
	When   ACLGen
}

// DeleteNode deletes a node without children. OK; NotEmpty; Invalid for the root
// and the ACL directory.
type DeleteNode struct{ Handle Token }

// Acquire asks for the lock of a node. OK with Held, also if the handle has held
// it in this mode before; LockOther. Without Wait, LockHeld or LockDelayed. With
// Wait it waits at the master (Parked) until it has the lock, or is cancelled
// (Cancelled), or cannot wait (Crowded). NotHeld: a former master granted it, and the lock
// was freed because the client did not present the handle to the present master.
type Acquire struct {
	Handle Token
	Mode   Mode
	Wait   bool
}

// Release frees the lock that the handle got by this acquisition, and no other.
// OK, or NotHeld.
type Release struct {
	Handle      Token
	Acquisition Acquisition
}

// CancelAcquire gives up an Acquire of this session. OK: that call holds nothing,
// and no copy of it ever will.
type CancelAcquire struct {
	Handle Token
	Call   Seq
}

// GetSequencer describes the lock that the handle holds. OK with Sequenced, or
// NotHeld.
type GetSequencer struct{ Handle Token }

// SetSequencer attaches a sequencer to the handle, in place of an earlier one. OK with
// Opened, of which only the Token counts: it takes the place of the handle's former one.
// Calls with the new token are tested against this sequencer, or one attached later, in
// each epoch; calls with a former token may be tested against its own sequencer after a
// fail-over.
// StaleSequencer; Invalid for what is no sequencer.
type SetSequencer struct {
	Handle    Token
	Sequencer string // Sequencer.Encode
}

// CheckSequencer asks whether a sequencer is valid now. OK, or StaleSequencer;
// Invalid for what is none, or is of another node than the handle's.
type CheckSequencer struct {
	Handle    Token
	Sequencer string // Sequencer.Encode
}

// HandleOf is the token of the handle that an op names, "" for none; of an Open it is the
// directory's.
func HandleOf(op Op) Token {
	switch o := op.(type) {
	case Open:
		return o.Dir
	case CloseHandle:
		return o.Handle
	case Poison:
		return o.Handle
	case GetContents:
		return o.Handle
	case GetStat:
		return o.Handle
	case ReadDir:
		return o.Handle
	case SetContents:
		return o.Handle
	case SetACL:
		return o.Handle
	case DeleteNode:
		return o.Handle
	case Acquire:
		return o.Handle
	case Release:
		return o.Handle
	case CancelAcquire:
		return o.Handle
	case GetSequencer:
		return o.Handle
	case SetSequencer:
		return o.Handle
	case CheckSequencer:
		return o.Handle
	}
	return ""
}

func (Open) op()           {}
func (CloseHandle) op()    {}
func (Poison) op()         {}
func (GetContents) op()    {}
func (GetStat) op()        {}
func (ReadDir) op()        {}
func (SetContents) op()    {}
func (SetACL) op()         {}
func (DeleteNode) op()     {}
func (Acquire) op()        {}
func (Release) op()        {}
func (CancelAcquire) op()  {}
func (GetSequencer) op()   {}
func (SetSequencer) op()   {}
func (CheckSequencer) op() {}

// Check refuses a path that is none, rights and events that are none, a kind where nothing
// may be made and none where something may, contents of a directory or too long.
func (o Open) Check() Code {
	made := o.Create != CreateNever
	switch {
	case !o.Create.Valid() || !o.Rights.Valid() || !o.Events.Valid() || len(o.Dir) > MaxToken:
		return Invalid
	case o.Path != "" && !isRelative(o.Path):
		return Invalid
	case !made && (o.Kind != 0 || o.Ephemeral || o.Contents != "" || o.Names != ACLNames{}):
		return Invalid
	case made && o.Kind != File && o.Kind != Directory, o.Kind == Directory && o.Contents != "":
		return Invalid
	case made && o.Names.Or(anyNames).Check() != OK:
		return Invalid
	case len(o.Contents) > MaxContents:
		return TooLarge
	}
	return OK
}

var anyNames = ACLNames{Read: "x", Write: "x", Change: "x"}

func isRelative(path string) bool {
	_, err := Path{}.Join(path)
	return err == nil
}

// Check refuses an empty token, and one that is too long to be one.
func (o CloseHandle) Check() Code { return checkHandle(o.Handle) }

// Check refuses an empty token, and one that is too long to be one.
func (o Poison) Check() Code { return checkHandle(o.Handle) }

// Check refuses an empty token, and one that is too long to be one.
func (o GetContents) Check() Code { return checkHandle(o.Handle) }

// Check refuses an empty token, and one that is too long to be one.
func (o GetStat) Check() Code { return checkHandle(o.Handle) }

// Check refuses a bad token, and a name that no child has.
func (o ReadDir) Check() Code {
	if o.After != "" && CheckComponent(o.After) != OK {
		return Invalid
	}
	return checkHandle(o.Handle)
}

// Check refuses a bad token, and contents that are too long.
func (o SetContents) Check() Code {
	if len(o.Contents) > MaxContents {
		return TooLarge
	}
	return checkHandle(o.Handle)
}

// Check refuses a bad token, and names that are none.
func (o SetACL) Check() Code {
	if o.Names.Check() != OK {
		return Invalid
	}
	return checkHandle(o.Handle)
}

// Check refuses an empty token, and one that is too long to be one.
func (o DeleteNode) Check() Code { return checkHandle(o.Handle) }

// Check refuses a bad token, and a mode that is none.
func (o Acquire) Check() Code {
	if !o.Mode.Valid() {
		return Invalid
	}
	return checkHandle(o.Handle)
}

// Check refuses a bad token, and the acquisition 0, which never was.
func (o Release) Check() Code {
	if o.Acquisition == 0 {
		return Invalid
	}
	return checkHandle(o.Handle)
}

// Check refuses a bad token, and the call 0, which is none.
func (o CancelAcquire) Check() Code {
	if o.Call == 0 {
		return Invalid
	}
	return checkHandle(o.Handle)
}

// Check refuses an empty token, and one that is too long to be one.
func (o GetSequencer) Check() Code { return checkHandle(o.Handle) }

// Check refuses a bad token, and what is no sequencer.
func (o SetSequencer) Check() Code { return checkSequencer(o.Handle, o.Sequencer) }

// Check refuses a bad token, and what is no sequencer.
func (o CheckSequencer) Check() Code { return checkSequencer(o.Handle, o.Sequencer) }

func checkHandle(t Token) Code {
	if t == "" || len(t) > MaxToken {
		return Invalid
	}
	return OK
}

func checkSequencer(t Token, q string) Code {
	if _, err := ParseSequencer(q); err != nil {
		return Invalid
	}
	return checkHandle(t)
}
