package paxos

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// Group is a set of members that decide together; it does not change. A quorum
// is any majority, so two quorums of one Group share a member (PMS §2.2).
type Group struct{ ids []NodeID }

// NewGroup returns the group of these members, given in any order. The caller ensures that no
// member is listed twice (Config.Validate does): it would count as two in a quorum.
func NewGroup(ids []NodeID) *Group {
	return &Group{ids: slices.Sorted(slices.Values(ids))}
}

// Members returns the ids in ascending order; the caller must not change them.
func (g *Group) Members() []NodeID { return g.ids }

// Has reports whether id is a member.
func (g *Group) Has(id NodeID) bool { return g.index(id) >= 0 }

// Quorum returns the number of members that make a majority.
func (g *Group) Quorum() int { return len(g.ids)/2 + 1 }

func (g *Group) index(id NodeID) int { return slices.Index(g.ids, id) }

// Tally counts distinct members of one Group. Its zero value has no group and counts
// no member.
type Tally struct {
	group *Group
	bits  uint64
}

// NewTally returns a Tally that counts members of g.
func NewTally(g *Group) Tally { return Tally{group: g} }

// Add counts id once, however often it is called, and ignores ids outside the group.
// It reports whether the count grew.
func (t *Tally) Add(id NodeID) bool {
	i := t.group.index(id)
	if i < 0 || t.bits&(1<<i) != 0 {
		return false
	}
	t.bits |= 1 << i
	return true
}

// Has reports whether id was counted.
func (t *Tally) Has(id NodeID) bool {
	i := t.group.index(id)
	return i >= 0 && t.bits&(1<<i) != 0
}

// Count returns the number of members counted.
func (t *Tally) Count() int { return bits.OnesCount64(t.bits) }

// HasQuorum reports whether a quorum was counted.
func (t *Tally) HasQuorum() bool { return t.Count() >= t.group.Quorum() }

// String returns which members were counted: "1 - 3 (2 of 3, quorum)".
func (t *Tally) String() string {
	var b strings.Builder
	for i, id := range t.group.ids {
		if t.bits&(1<<i) != 0 {
			fmt.Fprintf(&b, "%d ", id)
		} else {
			b.WriteString("- ")
		}
	}
	fmt.Fprintf(&b, "(%d of %d", t.Count(), len(t.group.ids))
	if t.HasQuorum() {
		b.WriteString(", quorum")
	}
	b.WriteByte(')')
	return b.String()
}
