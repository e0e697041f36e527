package sim

import "time"

// Node is a replica of any protocol that keeps a log of values: the methods of
// paxos.Node, on bytes. A Group runs it: it supplies clock, network, disk and timer,
// crashes it, and gives it back what its disk kept. A Node starts nothing by itself;
// after each call the Group takes its Output.
type Node interface {
	// Step takes a message; msg may be used until Step returns.
	Step(now time.Time, from Addr, msg []byte)
	// Advance moves the node's time to now.
	Advance(now time.Time)
	// Propose asks for value to be chosen, in any slot. An error means that this
	// node will not propose it.
	Propose(now time.Time, value string) error
	// Durable reports that all records up to number upto are on the disk.
	Durable(now time.Time, upto uint64)
	// TakeOutput empties the node.
	TakeOutput() Output
}

// Output is all that a Node demands from the outside.
type Output struct {
	Append [][]byte   // records to write, in this order; the first has number First
	First  uint64     // from 1, without gaps, over all lives
	SyncTo uint64     // records up to here must become durable; 0: no hurry
	Send   []Envelope // may leave at once; the Node itself holds back what depends on a record that is not durable
	Chosen []Chosen   // decided slots, in slot order, each once per life
	Wake   time.Time  // call Advance no later than this; zero: no need
}

// Envelope is a message with its receiver.
type Envelope struct {
	To  Addr
	Msg []byte
}

// Chosen is one decided slot.
type Chosen struct {
	Slot  uint64
	Value string
	// Commands are what the value consists of, for protocols that batch; nil
	// means that the value is one command.
	Commands []string
}

// NodeConfig is what a Node is made from, at the start of each life.
type NodeConfig struct {
	Self    Addr
	Members []Addr // all replicas, Self included
	Seed    uint64 // of the node's own draws, another one for each life
	Now     time.Time
	Records [][]byte // what the disk kept: numbers 1, 2, ...
}

// Voter is a Node whose votes can be read off its records. Agreement is then
// checked over what is on the disks, not only over what nodes claim.
type Voter interface {
	// Vote returns the vote that the record holds, if it holds one.
	Vote(record []byte) (Vote, bool)
}

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

// Less says that b is below c.
func (b Ballot) Less(c Ballot) bool {
	return b.Round < c.Round || b.Round == c.Round && b.Node < c.Node
}
