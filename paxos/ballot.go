package paxos

import (
	"cmp"
	"fmt"
)

// NodeID names a replica for its whole life; ids start at 1 and are never reused.
type NodeID uint32

// Ballot numbers one attempt of one node to lead (PMS §2.2 calls it the number of a proposal, PML
// §4.1; Raft's term has the same purpose). Ballots are ordered by round, then node, so two nodes
// never share one. The order does not depend on the number of members, because members change
// (P2.02). One node may use a ballot twice, if it crashed before its own promise of it was durable
// ("Ballots that come back" in doc.go). The zero Ballot is below all others and means "none".
type Ballot struct {
	Round uint64
	Node  NodeID
}

// Compare orders ballots; it returns 0 only for equal ones.
func (b Ballot) Compare(c Ballot) int {
	if r := cmp.Compare(b.Round, c.Round); r != 0 {
		return r
	}
	return cmp.Compare(b.Node, c.Node)
}

// Less reports whether b is below c.
func (b Ballot) Less(c Ballot) bool { return b.Compare(c) < 0 }

// IsZero reports whether b is no ballot at all.
func (b Ballot) IsZero() bool { return b == Ballot{} }

// String returns round.node, as in all traces.
func (b Ballot) String() string { return fmt.Sprintf("%d.%d", b.Round, b.Node) }

// Boot counts the process lives of one node, from 1. Every request of a node carries
// it and every reply echoes it, so that a node recognises a reply to an earlier life of
// its own (doc.go, "Why boot numbers").
type Boot uint64

// LSN numbers the durable records of one node, from 1, without gaps. LSNs of different nodes are
// unrelated.
type LSN uint64
