package api

import (
	"cmp"
	"fmt"
	"strings"
)

// HandleID names one handle of a cell for ever: the epoch of the master that gave it out, and a
// count within that epoch, from 1. A master can thus tell its own handles from those of its
// predecessors. The zero HandleID is none.
type HandleID struct {
	Epoch   Epoch
	Counter uint64
}

// Compare orders handles by the time when they were given out.
func (h HandleID) Compare(o HandleID) int {
	if c := cmp.Compare(h.Epoch, o.Epoch); c != 0 {
		return c
	}
	return cmp.Compare(h.Counter, o.Counter)
}

// String returns epoch and count.
func (h HandleID) String() string { return fmt.Sprintf("%d.%d", h.Epoch, h.Counter) }

// Token represents a handle at the client. Only a master of the cell can make, read and check its
// bytes. The client sends it with every call on the handle. A new master makes the handle again
// from it.
type Token string

// MaxToken is the longest token, in bytes.
const MaxToken = MaxPath + MaxSequencer + 128

// Rights are the permitted uses of a handle. They are fixed when it is opened.
type Rights uint8

// The rights. A lock in either mode needs RightWrite: a client that may only read must not
// keep a writer out (CHU §2.4).
const (
	RightRead      Rights = 1 << iota // read contents, metadata and children
	RightWrite                        // write contents, make children, acquire the lock
	RightChangeACL                    // write the node's access-control names

	rightsAll = RightRead | RightWrite | RightChangeACL
)

// Valid reports whether r is not empty and holds no unknown right.
func (r Rights) Valid() bool { return r != 0 && r&^rightsAll == 0 }

// Has reports whether r holds all of want.
func (r Rights) Has(want Rights) bool { return r&want == want }

// String returns a list of the rights.
func (r Rights) String() string {
	var names []string
	for i, name := range []string{"read", "write", "change-acl"} {
		if r.Has(1 << i) {
			names = append(names, name)
		}
	}
	if rest := r &^ rightsAll; rest != 0 {
		names = append(names, fmt.Sprintf("%#x", uint8(rest)))
	}
	return strings.Join(names, "+")
}
