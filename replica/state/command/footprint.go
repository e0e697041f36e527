package command

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// Footprint names the rows that a command may change, whatever the rows are. Every command
// may change the command counter. A cache must invalidate the User row or the Node of a
// command before it is proposed.
type Footprint struct {
	Epoch      bool          // the epoch row
	Constant   string        // this constant
	Tree       bool          // every row of the tree, and the secret
	Lease      bool          // the longest session lease
	Backup     bool          // what is recorded of backups
	Limits     bool          // the limits of the cell
	NewSession bool          // the session that the command opens, with this nonce
	Nonce      api.Nonce     // of NewSession
	Session    api.SessionID // this session and its answers
	Opener     bool          // the opener of Session too
	User       string        // this user row
	Node       NodeFootprint
	Locks      LockFootprint
}

// NodeFootprint is the part of a Footprint that is about one node.
type NodeFootprint struct {
	Path   api.Path
	Extent Extent
}

// Extent says how much of a node changes.
type Extent uint8

// The extents; each holds those before it.
const (
	ExtentNone     Extent = iota
	ExtentMetadata        // its metadata
	ExtentContents        // its contents, and with their length the rows of its parent and its owner
	ExtentNode            // whether there is such a node
)

// LockFootprint is the part of a Footprint that is about locks: the lock of one node, the
// locks of one holder, or the hold of one holder on the lock of one node.
type LockFootprint struct {
	Node      api.Ref    // the lock of this node only
	Owner     lock.Owner // the lock that this handle holds; without a handle, all locks of the session
	All       bool       // the lock of Node is removed, with all holders and delays
	NewDelays bool       // delays may begin
	Freed     api.Number // this delay of Node ends
}

// FootprintOf returns the rows that c may change. FootprintOf(nil) is the footprint of a refused
// command.
func FootprintOf(c Command) Footprint {
	switch c := c.(type) {
	case Epoch:
		return Footprint{Epoch: true}
	case Constant:
		return Footprint{Constant: c.Name}
	case Call:
		return footprintOfCall(c)
	case NodeCommand:
		return footprintOfNodeCommand(c)
	case Found:
		return Footprint{Tree: true}
	case Expire:
		return Footprint{Session: c.Session, Opener: true, Locks: LockFootprint{Owner: lock.Owner{Session: c.Session}, NewDelays: true}}
	case FailHandle:
		return Footprint{Locks: LockFootprint{Owner: c.owner(), NewDelays: true}}
	case DelayOver:
		return Footprint{Locks: LockFootprint{Node: c.Node, Freed: c.Freed}}
	case Sweep:
		return Footprint{Node: NodeFootprint{c.Node.Path, ExtentNode}, Locks: LockFootprint{Node: c.Node, All: true}}
	case LongestLease:
		return Footprint{Lease: true}
	case Backup:
		return Footprint{Backup: true}
	case SetLimits:
		return Footprint{Limits: true}
	}
	return Footprint{}
}

func footprintOfCall(c Call) Footprint {
	f := Footprint{Session: c.Session}
	switch op := c.Op.(type) {
	case api.OpenSession:
		f.NewSession, f.Nonce = true, op.Nonce
	case api.EndSession:
		f.Opener, f.Locks.Owner = true, lock.Owner{Session: c.Session}
	case api.Put:
		f.User = op.Key
	case api.Delete:
		f.User = op.Key
	case api.CompareAndSet:
		f.User = op.Key
	}
	return f
}

func footprintOfNodeCommand(c NodeCommand) Footprint {
	f := Footprint{Session: c.Session}
	switch d := c.Op.(type) {
	case OpenNode:
		if d.Create != api.CreateNever {
			f.Node = NodeFootprint{d.Path, ExtentNode}
		}
	case SetContents:
		f.Node = NodeFootprint{d.Node.Path, ExtentContents}
	case SetACL:
		f.Node = NodeFootprint{d.Node.Path, ExtentMetadata}
	case DeleteNode:
		f.Node, f.Locks = NodeFootprint{d.Node.Path, ExtentNode}, LockFootprint{Node: d.Node, All: true}
	case Acquire:
		f.Node, f.Locks = NodeFootprint{d.Node.Path, ExtentMetadata}, LockFootprint{Node: d.Node, Owner: c.owner(d.Handle)}
	case Release:
		f.Locks = LockFootprint{Node: d.Node, Owner: c.owner(d.Handle)}
	case CancelAcquire:
		f.Locks = LockFootprint{Node: d.Node, Owner: c.owner(d.Handle)}
	case CloseHandle:
		f.Locks = LockFootprint{Node: d.Node, Owner: c.owner(d.Handle)}
	}
	return f
}

// CanChange reports whether the command with this number and footprint may change the row
// of the db with this key.
func (f *Footprint) CanChange(key string, number api.Number) bool {
	if k, ok := rows.ParseKey(key); ok {
		return f.canChangeRow(k, number)
	}
	if k, ok := tree.ParseKey(key); ok {
		return f.Tree || f.Limits && k.Family == tree.FamilyLimits || f.Node.canChange(k)
	}
	if k, ok := lock.ParseKey(key); ok {
		return f.Locks.canChange(k, number)
	}
	return false
}

func (f *Footprint) canChangeRow(k rows.Key, number api.Number) bool {
	switch k.Family {
	case rows.FamilyTotals:
		return true
	case rows.FamilyEpoch:
		return f.Epoch
	case rows.FamilyConstant:
		return f.Constant != "" && k.Name == f.Constant
	case rows.FamilySecret:
		return f.Tree
	case rows.FamilyLease:
		return f.Lease
	case rows.FamilyBackup:
		return f.Backup
	case rows.FamilyAlive:
		return f.Limits
	case rows.FamilySession:
		return f.canChangeSession(k.Session, number)
	case rows.FamilyAnswer:
		return f.Session != 0 && k.Session == f.Session
	case rows.FamilyOpener:
		return f.Opener || f.NewSession && k.Nonce == f.Nonce
	case rows.FamilyUser:
		return f.User != "" && k.Name == f.User
	}
	return false
}

func (f *Footprint) canChangeSession(id api.SessionID, number api.Number) bool {
	if f.NewSession {
		return id == api.SessionID(number)
	}
	return f.Session != 0 && id == f.Session
}

// canChange does not know the owner of the node: it allows the usage of any principal.
func (n *NodeFootprint) canChange(k tree.Key) bool {
	up, _ := n.Path.Parent()
	switch k.Family {
	case tree.FamilyNode:
		return n.Extent >= ExtentMetadata && k.Path == n.Path || n.Extent >= ExtentContents && k.Path == up
	case tree.FamilyContents:
		return n.Extent >= ExtentContents && k.Path == n.Path
	case tree.FamilyEphemeral:
		return n.Extent >= ExtentNode && k.Path == n.Path
	case tree.FamilyUsage:
		return n.Extent >= ExtentContents
	}
	return false
}

// canChange does not know what an owner holds: it allows any lock for an owner, and any
// holder for a lock that is removed.
func (l *LockFootprint) canChange(k lock.Key, number api.Number) bool {
	here := l.Node.Instance != 0 && k.Lock == l.Node
	switch k.Family {
	case lock.FamilyLock:
		return here || l.Node.Instance == 0 && l.Owner.Session != 0
	case lock.FamilyHold:
		return here && l.All || l.hasOwner(k.Owner) && (here || l.Node.Instance == 0)
	case lock.FamilyIndex:
		return l.All || l.hasOwner(k.Owner)
	case lock.FamilyDelay:
		return here && (l.All || l.Freed != 0 && k.Freed == l.Freed) || l.NewDelays && k.Freed == number
	}
	return false
}

func (l *LockFootprint) hasOwner(o lock.Owner) bool {
	return l.Owner.Session != 0 && o.Session == l.Owner.Session && (l.Owner.Handle == api.HandleID{} || o.Handle == l.Owner.Handle)
}
