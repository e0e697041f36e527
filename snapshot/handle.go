package snapshot

import (
	"fmt"
	"slices"
	"strings"
)

type (
	// Slot is a position in the replicated log; the first is 1.
	Slot uint64
	// NodeID identifies a member of the cell.
	NodeID uint32
	// Epoch numbers the tenures of masters.
	Epoch uint64
)

// Ballot is a Paxos ballot.
type Ballot struct {
	Round uint64
	Node  NodeID
}

// String returns the round, a dot, and the node.
func (b Ballot) String() string { return fmt.Sprintf("%d.%d", b.Round, b.Node) }

// MaxMembers bounds Handle.Members.
const MaxMembers = 1024

// Handle identifies the state in a snapshot: the state after Slot was applied and before any later
// slot was. It is stored in the snapshot and returned with it (PML §5.5: a snapshot without the
// membership at its slot is useless).
type Handle struct {
	Slot    Slot     // not 0
	Ballot  Ballot   // of the tenure in force at Slot
	Members []NodeID // as of Slot: ascending, not empty
	Epoch   Epoch    // as of Slot
}

// Equal reports whether two handles are equal in all fields.
func (h Handle) Equal(o Handle) bool {
	return h.Slot == o.Slot && h.Ballot == o.Ballot && h.Epoch == o.Epoch && slices.Equal(h.Members, o.Members)
}

// String returns the handle as Dump prints it.
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

// check rejects handles that could not be read back unchanged.
func (h Handle) check() error {
	switch {
	case h.Slot == 0:
		return fmt.Errorf("snapshot: %w: slot 0", ErrHandle)
	case len(h.Members) == 0 || len(h.Members) > MaxMembers:
		return fmt.Errorf("snapshot: %w: %d members, not 1 to %d", ErrHandle, len(h.Members), MaxMembers)
	}
	for i := 1; i < len(h.Members); i++ {
		if h.Members[i-1] >= h.Members[i] {
			return fmt.Errorf("snapshot: %w: member %d follows %d", ErrHandle, h.Members[i], h.Members[i-1])
		}
	}
	return nil
}

// ID identifies one snapshot, even among snapshots with the same handle. The pieces that a replica
// sends belong together if they carry the same ID.
type ID struct {
	Handle Handle
	Size   int64  // of the whole file, in bytes
	Sum    uint64 // of the whole file before the sum
}

// Equal reports whether two IDs identify the same bytes.
func (id ID) Equal(o ID) bool {
	return id.Size == o.Size && id.Sum == o.Sum && id.Handle.Equal(o.Handle)
}

// String returns the ID in one line.
func (id ID) String() string {
	return fmt.Sprintf("%v, %d bytes, sum %016x", id.Handle, id.Size, id.Sum)
}

func (id ID) clone() ID {
	id.Handle = id.Handle.clone()
	return id
}
