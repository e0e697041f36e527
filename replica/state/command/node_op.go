package command

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/lock"
)

// NodeCommand is the command for one copy of a request for an op on a node. An op of
// package api names a handle by its token, which only the master can read. So such ops do
// not stand in the log as they are, as those of a Call do: the NodeOp names what the master
// has read from the token.
type NodeCommand struct {
	Guard        api.Epoch // the present epoch when the copy was received (P5.01)
	Session      api.SessionID
	Seq          api.Seq
	AckedThrough api.Seq
	Op           NodeOp
}

// NodeOp is one of the structs of this file; no other package has node operations. Each is named
// after the op of package api from which it comes, and has the same answers, except those that
// only the master can give: tokens, and the state of handles.
//
// A Fence is the sequencer that is attached to the handle, or zero. If it is not valid at
// this place of the log, the operation is answered StaleSequencer and not executed,
// whatever its own answer would be.
type NodeOp interface {
	check() api.Code
	nodeOp()
}

// OpenNode opens a node for the session's principal, and makes it if Create says so: OK
// with Opened, without a token.
//
//	Dir is given, and no longer exists                             Gone
//	the node exists: CreateMust                                    Exists
//	                 its ACL names do not give all Rights          Permission
//	it does not:     CreateNever, or no parent                     NotFound
//	                 the parent is a file                          NotDirectory
//	                 no right to write the parent                  Permission
//	                 the names it would get do not give all Rights Permission
//	                 above a quota of its owner or its directory   Quota
type OpenNode struct {
	Dir       api.Ref  // the node of the directory's handle; Path is its path, or below it; zero: none
	Path      api.Path // of the node, from the root
	Rights    api.Rights
	Create    api.Creation
	Kind      api.NodeKind // this and the fields up to Names are for a node that is made
	Ephemeral bool
	Contents  string
	Names     api.ACLNames
	Fence     api.Sequencer // of the directory's handle
}

// GetContents: OK with Value and NodeStat; Gone, IsDirectory.
type GetContents struct {
	Node  api.Ref
	Fence api.Sequencer
}

// GetStat: OK with NodeStat; Gone.
type GetStat struct {
	Node  api.Ref
	Fence api.Sequencer
}

// ReadDir: OK with Listing; Gone, NotDirectory.
type ReadDir struct {
	Node  api.Ref
	After string
	Most  uint64
	Fence api.Sequencer
}

// SetContents: OK, and Conflict, with NodeStat; Gone, IsDirectory, Quota.
type SetContents struct {
	Node     api.Ref
	Contents string
	When     api.ContentGen
	Fence    api.Sequencer
}

// SetACL: OK, and Conflict, with NodeStat; Gone.
type SetACL struct {
	Node  api.Ref
	Names api.ACLNames
	When  api.ACLGen
	Fence api.Sequencer
}

// DeleteNode: OK; Invalid, Gone, NotEmpty. The lock of the node goes with it, held or not.
type DeleteNode struct {
	Node  api.Ref
	Fence api.Sequencer
}

// Acquire is one attempt to get the lock: OK with Held; Gone, LockOther, LockHeld,
// LockDelayed. With Wait the last two are no answer to the client: the command is refused,
// nothing is kept, and the master proposes another attempt, with the same Seq, when the
// lock can be claimed.
type Acquire struct {
	Node   api.Ref
	Handle api.HandleID
	Mode   api.Mode
	Delay  api.LockDelay // of the handle
	Wait   bool
	Fence  api.Sequencer
}

// Release: OK; NotHeld.
type Release struct {
	Node        api.Ref
	Handle      api.HandleID
	Acquisition api.Acquisition
}

// CancelAcquire cancels the Acquire that the session sent with the Seq Call; after it that
// Acquire holds nothing and never will: OK. If Call has no answer yet its answer becomes
// Cancelled, which every later copy of it gets. If its answer is Held, that acquisition is
// released. Invalid if Call is not before this call, or if AckedThrough covers it: its
// answer is gone, and with it the acquisition to release.
type CancelAcquire struct {
	Node   api.Ref
	Handle api.HandleID
	Call   api.Seq
}

// CloseHandle releases the lock of the node, if the handle holds it: OK.
type CloseHandle struct {
	Node   api.Ref
	Handle api.HandleID
}

// GetSequencer: OK with Sequenced; NotHeld.
type GetSequencer struct {
	Node   api.Ref
	Handle api.HandleID
	Fence  api.Sequencer
}

// CheckSequencer: OK; StaleSequencer; Invalid if the sequencer is that of another node.
type CheckSequencer struct {
	Node      api.Ref
	Sequencer api.Sequencer
	Fence     api.Sequencer
}

// Fail answers with a code and changes nothing. The master proposes it to make a refusal
// final when it cannot know whether an earlier copy was executed, or whether a later one
// would be refused as well.
type Fail struct{ Code api.Code }

func (OpenNode) nodeOp()       {}
func (GetContents) nodeOp()    {}
func (GetStat) nodeOp()        {}
func (ReadDir) nodeOp()        {}
func (SetContents) nodeOp()    {}
func (SetACL) nodeOp()         {}
func (DeleteNode) nodeOp()     {}
func (Acquire) nodeOp()        {}
func (Release) nodeOp()        {}
func (CancelAcquire) nodeOp()  {}
func (CloseHandle) nodeOp()    {}
func (GetSequencer) nodeOp()   {}
func (CheckSequencer) nodeOp() {}
func (Fail) nodeOp()           {}

// fenceOf returns the sequencer that must be valid for d to be executed; zero: there is none.
func fenceOf(d NodeOp) api.Sequencer {
	switch d := d.(type) {
	case OpenNode:
		return d.Fence
	case GetContents:
		return d.Fence
	case GetStat:
		return d.Fence
	case ReadDir:
		return d.Fence
	case SetContents:
		return d.Fence
	case SetACL:
		return d.Fence
	case DeleteNode:
		return d.Fence
	case Acquire:
		return d.Fence
	case GetSequencer:
		return d.Fence
	case CheckSequencer:
		return d.Fence
	}
	return api.Sequencer{}
}

// owner is the handle as a holder of locks.
func (c NodeCommand) owner(h api.HandleID) lock.Owner {
	return lock.Owner{Session: c.Session, Handle: h}
}
