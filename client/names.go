package client

import "github.com/chubbycell/chubby/replica/api"

// What programs say to a cell and hear of it, by names that need no other package.
type (
	// Rights are what a handle is good for.
	Rights = api.Rights
	// Creation says what Open does about a node that may not be there.
	Creation = api.Creation
	// Mode is how a lock is held.
	Mode = api.Mode
	// Stat is the metadata of a node.
	Stat = api.Stat
	// Child is a node as its directory lists it.
	Child = api.Child
	// ACLNames are the names of the three lists of those who may use a node.
	ACLNames = api.ACLNames
	// ContentGen numbers the contents of a file, ACLGen the ACL names of a node.
	ContentGen = api.ContentGen
	// ACLGen numbers the ACL names of a node.
	ACLGen = api.ACLGen
)

// The rights, the ways to create, the modes.
const (
	Read      = api.RightRead      // contents, metadata, children
	Write     = api.RightWrite     // contents, children, and the lock in either mode
	ChangeACL = api.RightChangeACL // the ACL names

	CreateNever = api.CreateNever // the node must be there
	CreateMay   = api.CreateMay   // it is made unless it is there
	CreateMust  = api.CreateMust  // it must not be there

	Exclusive = api.Exclusive // held by one handle
	Shared    = api.Shared    // held by any number
)
