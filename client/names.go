package client

import "github.com/chubbycell/chubby/replica/api"

// Types of calls and answers, aliased so that programs need no other import. For their fields and
// methods see "go doc github.com/chubbycell/chubby/replica/api Stat", and so on.
type (
	// Rights are the uses for which a handle is opened.
	Rights = api.Rights
	// Creation selects what Open does if the node does not exist.
	Creation = api.Creation
	// Mode is the mode of a lock: Exclusive or Shared.
	Mode = api.Mode
	// Stat is the metadata of a node: Kind, Ephemeral, Length and Checksum of the contents, the
	// generations Content, ACL and Lock, Instance, Children, and the ACL Names.
	Stat = api.Stat
	// Child is a directory entry: Name, and the Stat of the child with its Lock.
	Child = api.Child
	// ACLNames names the three access control lists of a node: Read, Write and Change, each a file in /acl.
	ACLNames = api.ACLNames
	// EventMask is a set of kinds of events.
	EventMask = api.EventMask
	// Change is what was done to a child of a directory.
	Change = api.Change
	// ContentGen numbers the contents of a file.
	ContentGen = api.ContentGen
	// ACLGen numbers the ACL names of a node.
	ACLGen = api.ACLGen
)

// Rights, ways to create a node, lock modes, kinds of events that a handle can ask for, and changes
// of children.
const (
	Read      = api.RightRead      // read contents, metadata and children, and check sequencers
	Write     = api.RightWrite     // write contents, create children, and acquire the lock in either mode
	ChangeACL = api.RightChangeACL // change the ACL names

	CreateNever = api.CreateNever // the node must exist
	CreateMay   = api.CreateMay   // the node is created unless it exists
	CreateMust  = api.CreateMust  // the node must not exist

	WantContents     = api.WantContents     // EventContents; WantInvalid reports the deletion of the file
	WantChildren     = api.WantChildren     // EventChildren; WantInvalid reports the deletion of the directory
	WantInvalid      = api.WantInvalid      // EventInvalid: the node was deleted, or the session has expired
	WantLockAcquired = api.WantLockAcquired // EventLockAcquired
	WantLockWanted   = api.WantLockWanted   // EventLockWanted
	WantFailover     = api.WantFailover     // EventFailover, as an event of the handle

	ChildAdded   = api.ChildAdded
	ChildChanged = api.ChildChanged // its contents or ACL names were written
	ChildRemoved = api.ChildRemoved

	Exclusive = api.Exclusive // one handle holds the lock
	Shared    = api.Shared    // any number of handles hold the lock
)
