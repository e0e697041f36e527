package tree

import "github.com/chubbycell/chubby/replica/api"

// Effect is one of the structs of this file: something that followed from an operation, as
// data, for events and caches. The effect on the node comes before that on its parent, as
// clients are told of them.
type Effect interface{ effect() }

// Created: the node is there.
type Created struct {
	Node      api.Ref
	Kind      api.NodeKind
	Ephemeral bool
}

// ContentsChanged: the file was written, perhaps with the bytes it had.
type ContentsChanged struct {
	Node api.Ref
	Gen  api.ContentGen
}

// ACLChanged: the node's ACL names were written.
type ACLChanged struct {
	Node api.Ref
	Gen  api.ACLGen
}

// LockTaken: the node's lock went from free to held. No ChildChanged goes with it: no
// cache keeps the lock generations of children.
type LockTaken struct {
	Node api.Ref
	Gen  api.LockGen
}

// Deleted: the node is gone, and all that is bound to it.
type Deleted struct{ Node api.Ref }

// ChildChanged: a child of the directory was created, modified or deleted. If it was
// created or deleted, the number of children in the directory's metadata changed as well.
type ChildChanged struct {
	Directory api.Ref
	Name      string
	Change    Change
}

// Change is what was done to a child.
type Change uint8

// The changes.
const (
	ChildCreated  Change = 1 + iota
	ChildModified        // its contents or its ACL names were written
	ChildDeleted
)

// String names the change.
func (c Change) String() string {
	return [...]string{"none", "created", "modified", "deleted"}[c]
}

func (Created) effect()         {}
func (ContentsChanged) effect() {}
func (ACLChanged) effect()      {}
func (LockTaken) effect()       {}
func (Deleted) effect()         {}
func (ChildChanged) effect()    {}
