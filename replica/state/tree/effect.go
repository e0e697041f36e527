package tree

import "github.com/chubbycell/chubby/replica/api"

// Effect is one of the structs of this file: something that followed from an
// operation, told as data, for those who keep events and caches. Effects come in
// the order in which they are told to clients: the node first, then its parent.
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

// LockTaken: the node's lock went from free to held. No ChildChanged goes with
// it: nobody keeps lock generations of children.
type LockTaken struct {
	Node api.Ref
	Gen  api.LockGen
}

// Deleted: the node is no more, and all that is bound to it.
type Deleted struct{ Node api.Ref }

// ChildChanged: something was done to a child of the directory. Where it was
// created or deleted, the directory's own metadata changed as well, by its number
// of children.
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
