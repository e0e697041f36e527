package snapshot

import (
	"fmt"
	"slices"
	"strings"
)

type (
	// Slot is a place in the replicated log; the first is 1.
	Slot uint64
	// NodeID names a member of the cell.
	NodeID uint32
	// Epoch numbers a tenure of a master.
	Epoch uint64
)

// Ballot is the ballot of a slot.
type Ballot struct {
	Round uint64
	Node  NodeID
}

// String is the round, a dot, the node.
func (b Ballot) String() string { return fmt.Sprintf("%d.%d", b.Round, b.Node) }

// MaxMembers bounds Handle.Members.
const MaxMembers = 1024

// Handle says which state a snapshot holds: the one after Slot was applied, and
// before any later one was. It stands in the snapshot and comes back with it
// (PML §5.5: a snapshot without the membership at its slot is of no use).
type Handle struct {
	Slot    Slot     // not 0
	Ballot  Ballot   // of the tenure in force at Slot
	Members []NodeID // as of Slot: ascending, not empty
	Epoch   Epoch    // as of Slot
}

// Equal says that two handles are the same in all.
func (h Handle) Equal(o Handle) bool {
	return h.Slot == o.Slot && h.Ballot == o.Ballot && h.Epoch == o.Epoch && slices.Equal(h.Members, o.Members)
}

// String shows the handle as Dump does.
func (h Handle) String() string {
	var members strings.Builder
	for _, m := range h.Members {
		fmt.Fprintf(&members, " %d", m)
	}
	return fmt.Sprintf("slot %d ballot %v epoch %d members%s", h.Slot, h.Ballot, h.Epoch, members.String())
}

func (h Handle) clone() Handle {
	h.Members = slices.Clone(h.Members)
	return h
}

// check refuses what could not be read back as it was.
func (h Handle) check() error {
	switch {
	case h.Slot == 0:
		return fmt.Errorf("snapshot: %w: slot 0", ErrHandle)
	case len(h.Members) == 0 || len(h.Members) > MaxMembers:
		return fmt.Errorf("snapshot: %w: %d members, 1 to %d can be", ErrHandle, len(h.Members), MaxMembers)
	}
	for i := 1; i < len(h.Members); i++ {
		if h.Members[i-1] >= h.Members[i] {
			return fmt.Errorf("snapshot: %w: member %d follows %d", ErrHandle, h.Members[i], h.Members[i-1])
		}
	}
	return nil
}

// ID tells one snapshot from every other, also from those of the same handle:
// the pieces that a peer sends belong together if they come with one ID.
type ID struct {
	Handle Handle
	Size   int64  // of the whole file, in bytes
	Sum    uint64 // over all of it, the handle included
}

// Equal says that two IDs mean the same bytes.
func (id ID) Equal(o ID) bool {
	return id.Size == o.Size && id.Sum == o.Sum && id.Handle.Equal(o.Handle)
}

// String shows the ID as one line.
func (id ID) String() string {
	return fmt.Sprintf("%v, %d bytes, sum %016x", id.Handle, id.Size, id.Sum)
}

func (id ID) clone() ID {
	id.Handle = id.Handle.clone()
	return id
}
