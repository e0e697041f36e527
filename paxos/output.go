package paxos

import "time"

// Envelope is a message with its receiver.
type Envelope struct {
	To      NodeID
	Message Message
}

// Entry is one decided slot.
type Entry struct {
	Slot  Slot
	Value Value
}

// Tenure says who leads now. It is given out at each change: when this node
// begins to lead, when it stops, when it hears of another leader.
type Tenure struct {
	Leader NodeID // 0: nobody known
	Ballot Ballot // at which the leader leads
	Mine   bool   // this node leads
	// From is the first slot above all that phase 1 closed: what this node
	// proposes lands at or above it. Only where Mine.
	From Slot
}

// Output is all that a Node wants from the outside. Taking it empties the node.
// The slices belong to the caller.
type Output struct {
	Append []Record   // write in this order; the first one has number First
	First  LSN        // 0 when there is nothing to write
	SyncTo LSN        // somebody waits for the disk up to here; 0: no hurry
	Send   []Envelope // may leave at once, in any order; losing one is allowed
	Chosen []Entry    // contiguous, in slot order, each once per process life
	Tenure *Tenure    // who leads has changed; nil if not
	Behind *Behind    // catch-up needs a snapshot, at this source at least; nil if not
	Wake   time.Time  // call Advance no later than this; zero: no need
}
