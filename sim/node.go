package sim

import "time"

// Node is a replica of any protocol that keeps a log of values. Its methods are those of
// paxos.Node, on bytes. A Group runs it: the Group supplies clock, network, disk and timer, crashes
// the Node, and gives it back what its disk kept. A Node starts nothing by itself; after each call
// the Group takes its Output.
type Node interface {
	// Step handles a message; it may use msg until it returns.
	Step(now time.Time, from Addr, msg []byte)
	// Advance moves the node's time to now.
	Advance(now time.Time)
	// Propose asks the protocol to choose value, in any slot. An error means that this node will
	// not propose it. A client repeats its command until it is answered, so a value may come again
	// before or after it is chosen. It may be chosen in several slots: the Group applies it once.
	Propose(now time.Time, value string) error
	// Durable reports that all records up to number upto are on the disk.
	Durable(now time.Time, upto uint64)
	// TakeOutput returns the output and empties it.
	TakeOutput() Output
}

// Output is everything that a Node requests from outside.
type Output struct {
	Append [][]byte   // records to write, in this order; the first has number First
	First  uint64     // from 1, without gaps, over all lives
	SyncTo uint64     // records up to here must become durable; 0: no hurry
	Send   []Envelope // may leave at once; the Node itself holds back messages that depend on a record that is not durable
	Chosen []Chosen   // decided slots, in slot order, each once per life
	Wake   time.Time  // call Advance no later than this; zero: no need
}

// Envelope is a message and its receiver.
type Envelope struct {
	To  Addr
	Msg []byte
}

// Chosen is one decided slot.
type Chosen struct {
	Slot  uint64
	Value string
	// Commands are the commands in the value, for protocols that batch; nil means that the value is
	// one command, and an empty slice that it has none: a no-op.
	Commands []string
}

// NodeConfig configures a Node, at the start of each life.
type NodeConfig struct {
	Self    Addr
	Members []Addr // all replicas, Self included
	Seed    uint64 // for the node's own draws; different for each life
	Now     time.Time
	Records [][]byte // what the disk kept: numbers 1, 2, ...
}

// Voter is a Node whose votes can be read from its records. Agreement then checks what is on the
// disks, not only what nodes claim.
type Voter interface {
	// Votes returns the votes in the record, in the order of their slots; nil if it holds none.
	Votes(record []byte) []Vote
}

// VoteRule says when votes on disks choose a value.
type VoteRule int

// The rules.
const (
	// PaxosLike: a value is chosen as soon as a quorum has voted for it at one ballot, whether a node
	// knows or not, and no vote at a higher ballot may be for another value. It holds for Paxos in all
	// forms, and for protocols that vote again at the ballot of each new leader, such as Viewstamped
	// Replication.
	PaxosLike VoteRule = iota
	// RaftLike: Vote.Ballot is the term in which an entry was made, and a later leader may overwrite an entry
	// on a quorum of disks as long as no node has taken it for chosen (Raft, section 5.4.2). A value that a
	// node takes for chosen must be the newest vote of a quorum of disks at that instant.
	RaftLike
)

// Vote is an acceptance: an acceptor's statement that at Ballot it voted for Value
// in Slot.
type Vote struct {
	Slot   uint64
	Ballot Ballot
	Value  string
}

// Ballot is ordered by Round, then Node.
type Ballot struct {
	Round uint64
	Node  Addr
}

// Less reports whether b is below c.
func (b Ballot) Less(c Ballot) bool {
	return b.Round < c.Round || b.Round == c.Round && b.Node < c.Node
}
