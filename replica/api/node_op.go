package api

// The ops on files, directories and locks (CHU §2.6). Only Open takes a name; all others take the
// token of a handle. A handle means one instance of its node: if that was deleted, a call is
// answered Gone, even if there is another node at its path. A handle has the rights with which it
// was opened (otherwise NoRight), until it is closed (HandleClosed) or poisoned (HandlePoisoned).
// If a sequencer is attached to it, it works as long as the sequencer is valid (StaleSequencer). In
// addition to these codes, each op has the answers that its comment names.

// Creation says whether Open may or must create its node.
type Creation uint8

const (
	CreateNever Creation = iota // the node must exist
	CreateMay                   // the node is created unless it exists
	CreateMust                  // the node must not exist
)

// Valid reports whether c is one of the constants above.
func (c Creation) Valid() bool { return c <= CreateMust }

// Open opens a handle. OK with Opened; NotFound, Exists, Permission, NotDirectory, Quota, Crowded;
// Gone if the node of Dir was deleted.
type Open struct {
	Dir    Token  // Path begins here; empty: at the root of the cell
	Path   string // relative to Dir, without a leading slash; empty: the node of Dir itself
	Rights Rights
	Create Creation
	// The fields below, except Delay and Events, apply to a node that is created. Kind and
	// Ephemeral are not compared with those of an existing node.
	Kind      NodeKind // zero with CreateNever
	Ephemeral bool
	Contents  string   // of a file
	Names     ACLNames // empty names are copied from the parent
	Delay     LockDelay
	// Events are the kinds of events that the client requests for the node while the handle is
	// open. Answers to KeepAlives carry them to the session; a session without leases gets none.
	Events EventMask
}

// CloseHandle ends a handle, frees the lock that it holds, and cancels its Acquire. OK, also if it
// was closed before.
type CloseHandle struct{ Handle Token }

// Poison makes all other calls on a handle fail, including those that wait, and leaves the handle
// open. OK.
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
	Most   uint64 // number of children; 0, or more than one answer holds: as many as it holds
}

// SetContents replaces the contents of a file, if When is 0 or their present generation. OK with
// the new NodeStat; Conflict with the present one; IsDirectory, Quota.
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

// Acquire asks for the lock of a node. OK with Held, also if the handle already holds it in this
// mode; LockOther. Without Wait: LockHeld or LockDelayed. With Wait it waits at the master (Parked)
// until it has the lock, is cancelled (Cancelled), or cannot wait (Crowded). NotHeld: a former
// master granted the lock, and it was freed because the client did not present the handle to the
// present master.
type Acquire struct {
	Handle Token
	Mode   Mode
	Wait   bool
}

// Release frees the lock that the handle got by this acquisition, and no other. OK, or NotHeld.
type Release struct {
	Handle      Token
	Acquisition Acquisition
}

// CancelAcquire gives up an Acquire of this session. OK: that call holds nothing, and no copy of it
// ever will.
type CancelAcquire struct {
	Handle Token
	Call   Seq
}

// GetSequencer describes the lock that the handle holds. OK with Sequenced, or
// NotHeld.
type GetSequencer struct{ Handle Token }

// SetSequencer attaches a sequencer to the handle, in place of an earlier one. OK with Opened, of
// which only the Token matters: it replaces the handle's former token. Calls with the new token are
// checked against this sequencer, or one attached later, in each epoch. After a fail-over, calls
// with a former token may be checked against its own sequencer. StaleSequencer; Invalid if
// Sequencer is not a sequencer.
type SetSequencer struct {
	Handle    Token
	Sequencer string // Sequencer.Encode
}

// CheckSequencer asks whether a sequencer is valid now. OK, or StaleSequencer; Invalid if it is not
// a sequencer, or is of another node than the handle's.
type CheckSequencer struct {
	Handle    Token
	Sequencer string // Sequencer.Encode
}

// HandleOf returns the token of the handle that an op names, or "" for none. For an Open it is the
// token of the directory.
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

// Check refuses an invalid path, invalid rights and events, a kind if nothing may be created, a
// missing kind if something may be, contents of a directory, and contents that are too long.
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

// Check refuses an empty token, and one that is too long.
func (o CloseHandle) Check() Code { return checkHandle(o.Handle) }

// Check refuses an empty token, and one that is too long.
func (o Poison) Check() Code { return checkHandle(o.Handle) }

// Check refuses an empty token, and one that is too long.
func (o GetContents) Check() Code { return checkHandle(o.Handle) }

// Check refuses an empty token, and one that is too long.
func (o GetStat) Check() Code { return checkHandle(o.Handle) }

// Check refuses a bad token, and a name that no child can have.
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

// Check refuses a bad token, and invalid names.
func (o SetACL) Check() Code {
	if o.Names.Check() != OK {
		return Invalid
	}
	return checkHandle(o.Handle)
}

// Check refuses an empty token, and one that is too long.
func (o DeleteNode) Check() Code { return checkHandle(o.Handle) }

// Check refuses a bad token, and an invalid mode.
func (o Acquire) Check() Code {
	if !o.Mode.Valid() {
		return Invalid
	}
	return checkHandle(o.Handle)
}

// Check refuses a bad token, and the acquisition 0, which is none.
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

// Check refuses an empty token, and one that is too long.
func (o GetSequencer) Check() Code { return checkHandle(o.Handle) }

// Check refuses a bad token, and an invalid sequencer.
func (o SetSequencer) Check() Code { return checkSequencer(o.Handle, o.Sequencer) }

// Check refuses a bad token, and an invalid sequencer.
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
