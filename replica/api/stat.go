package api

import (
	"fmt"

	"github.com/cespare/xxhash/v2"
)

// Checksum is a 64-bit checksum of a file's contents (XXH64), with which clients compare files
// without reading them. It finds differences, but does not protect against forgery.
type Checksum uint64

// ChecksumOf returns the Checksum of a file with these contents.
func ChecksumOf(contents string) Checksum { return Checksum(xxhash.Sum64String(contents)) }

// NodeKind says whether a node is a file or a directory.
type NodeKind uint8

// The kinds of nodes.
const (
	Directory NodeKind = 1 + iota // has children
	File                          // has contents
)

// String returns the name of the kind.
func (k NodeKind) String() string {
	switch k {
	case Directory:
		return "directory"
	case File:
		return "file"
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Stat is the metadata of a node. It has no times: the cell keeps neither the time of a change nor
// that of an access (CHU §2.3).
type Stat struct {
	Kind      NodeKind
	Ephemeral bool // it is deleted when no client has it open; never changes
	Instance  Instance
	Content   ContentGen // of a file
	Lock      LockGen    // the number of the command that made the node, until the lock is first held
	ACL       ACLGen
	Length    uint64   // of a file's contents, in bytes
	Checksum  Checksum // of a file's contents
	Children  uint64   // of a directory
	Names     ACLNames
}

// MaxContents is the maximum length of a file's contents (CHU §4.5).
const MaxContents = MaxValue

// fault returns why s cannot be the metadata of a node, or "".
func (s Stat) fault() string {
	switch {
	case s.Kind != Directory && s.Kind != File:
		return s.Kind.String()
	case s.Instance == 0 || s.Lock == 0 || s.ACL == 0:
		return "a generation is 0"
	case s.Kind == Directory && (s.Content != 0 || s.Length != 0 || s.Checksum != 0):
		return "a directory with contents"
	case s.Kind == File && (s.Content == 0 || s.Length > MaxContents || s.Children != 0):
		return "a file with children, or without contents"
	case s.Names.Check() != OK:
		return "an ACL name is none"
	}
	return ""
}

// Child is an entry of a directory.
type Child struct {
	Name string
	Stat Stat
}

// Bytes returns the length of c in the encoding of AppendChildren, which counts towards
// MaxListBytes in a read of a directory.
func (c Child) Bytes() int {
	var room [1 << 11]byte // more than a child takes
	return len(appendChild(room[:0], c))
}
