package paxos

import "time"

// Envelope is a message and its receiver.
type Envelope struct {
	To      NodeID
	Message Message
}

// Entry is one decided slot.
type Entry struct {
	Slot  Slot
	Value Value
}

// Tenure names the present leader. The node returns one at each change: when it begins to lead,
// when it stops, and when it hears of another leader.
type Tenure struct {
	Leader NodeID // 0: none known
	Ballot Ballot // at which the leader leads
	Mine   bool   // this node leads
	// From is the first slot above those for which phase 1 demands values: commands proposed to
	// this node get a slot at or above it. It is set only if Mine.
	From Slot
}

// Output is everything that a Node asks of its caller. TakeOutput empties the node. The slices
// belong to the caller.
type Output struct {
	Append []Record   // write in this order; the first one has number First
	First  LSN        // 0 when there is nothing to write
	SyncTo LSN        // messages wait until the disk has synced this record; 0: none do
	Send   []Envelope // may leave at once, in any order; losing one is allowed
	Chosen []Entry    // contiguous, in slot order, each once per process life
	Tenure *Tenure    // the new leader, or none; nil: no change
	Behind *Behind    // a source lacks records that this node needs; nil: no news
	Wake   time.Time  // call Advance no later than this; zero: not needed
}
