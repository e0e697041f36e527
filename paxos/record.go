package paxos

import "time"

// Record is one of the structs of this file: a fact that a node must not forget. The node
// numbers each record (LSN); the driver writes them in order and reports how far they are
// durable.
type Record interface{ record() }

// Booted is the first record of a process life. It has the number of the life, and the longest
// Lease.Grant with which this life or an earlier one was configured. No message of the life leaves
// before it is durable, so no grant does either.
//
//	booted 3
//	booted 3 grant 1s
type Booted struct {
	Boot  Boot
	Grant time.Duration
}

// Promised says that this acceptor will accept nothing below Ballot (PMS §2.5). The driver keeps it
// in a separate register too, not only in the log.
//
//	promised 2.1
type Promised struct{ Ballot Ballot }

// Voted is a vote of this acceptor (phase 2b). The message that reports it is Accepted.
//
//	voted 2.1 slot 9 v1f2e3d4c
type Voted struct {
	Slot   Slot
	Ballot Ballot
	Value  Value
}

// Learned is a chosen value for which the node has no vote of its own with that value. No message
// waits for it: the node can fetch the value again.
//
//	learned slot 9 v1f2e3d4c
type Learned struct {
	Slot  Slot
	Value Value
}

// Settled says that in each slot of Slots the value of the node's last vote before this
// record is the chosen one. No message waits for it.
//
//	settled [7,10)
type Settled struct{ Slots Range }

// Unreadable replaces a Voted record whose value the disk lost, when a log is read back (F0.3). It
// is never written.
//
//	unreadable 2.1 slot 9
type Unreadable struct {
	Slot   Slot
	Ballot Ballot
}

// Unlearned replaces a Learned record whose value the disk lost. It is never written, and changes
// nothing: other members know the value.
//
//	unlearned slot 9
type Unlearned struct{ Slot Slot }

func (Booted) record()     {}
func (Promised) record()   {}
func (Voted) record()      {}
func (Learned) record()    {}
func (Settled) record()    {}
func (Unreadable) record() {}
func (Unlearned) record()  {}

// Recovered is what a disk holds when a process starts: the records of all earlier lives. The zero
// value is for a new node.
type Recovered struct {
	Boot     Boot          // of the latest life, 0 before the first
	Grant    time.Duration // of the latest Booted: the longest Grant of all lives so far
	Promise  Ballot        // highest promise on disk
	Snapshot Handle        // where the state machine begins; zero: before slot 1
	Floor    Slot          // Records may lack only those about slots below; 0 counts as 1
	Records  []Record      // all kinds but Booted and Promised, in LSN order
	Next     LSN           // first free number; 0 counts as 1
}
