package paxos

import "time"

// Message is one of the structs of this file; no other package defines one. The comment on each
// names its sender and receivers, what it claims, and which record must be on the sender's disk
// before it may leave (outbox.go enforces that). Every reply names the slot and ballot of its
// request and echoes the boot number.
type Message interface{ message() }

// Prepare is phase 1a (PMS §2.2), for all slots from From on at once (PMS §3): it asks
// for a promise of Ballot and for the votes there, one page of slots in each reply.
// Candidate to every member. It claims nothing and waits only for the boot record. The
// candidate sends it again until it is answered (P11.03, hole 1).
//
//	prepare 2.1 boot 3 from 7
type Prepare struct {
	Ballot Ballot
	Boot   Boot
	From   Slot
}

// Vote is what an acceptor last accepted in a slot. Lost means that it voted at this
// ballot and its disk lost the value (F0.3); such a vote must never be read as
// "nothing".
type Vote struct {
	Slot   Slot
	Ballot Ballot
	Value  Value
	Lost   bool
}

// Promise is phase 1b (PMS §2.2), one page of it: the sender will accept nothing below
// Ballot, and its votes in the slots of Page are exactly Votes, in slot order. A slot of
// Page without a vote means "nothing". The next page starts at Page.To; the last one ends
// at MaxSlot. Acceptor to candidate, after the acceptor's Promised record and the record
// of each vote in the page are durable.
//
// The sender knows the chosen values of all slots below FirstOpen; the candidate catches
// up by Fetch. Page.From lies above the requested slot where the acceptor has dropped
// the votes below: absence there is not "nothing".
//
//	promise 2.1 boot 3 [7,) votes 7@1.2=v1f2e3d4c 8@1.2=lost open 7
//	promise 2.1 boot 3 [7,) votes none open 7
type Promise struct {
	Ballot    Ballot
	Boot      Boot // of the candidate, echoed
	Page      Range
	Votes     []Vote
	FirstOpen Slot
}

// Accept is phase 2a (PMS §2.2): it asks the acceptors to vote for Value in Slot at
// Ballot. Leader to every member, after the leader's own Promised record for Ballot is
// durable: a leader that forgot its ballot could propose a second value at it. It does
// not wait for the leader's own vote (P2.05). The leader sends it again until a quorum
// has voted (P11.03, hole 2).
//
//	accept 2.1 boot 3 slot 9 v1f2e3d4c
type Accept struct {
	Ballot Ballot
	Boot   Boot
	Slot   Slot
	Value  Value
}

// Accepted is phase 2b (PMS §2.2): the sender voted in Slot at Ballot. Acceptor to
// leader, after the acceptor's Voted record is durable.
//
//	accepted 2.1 boot 3 slot 9
type Accepted struct {
	Ballot Ballot
	Boot   Boot // of the leader, echoed
	Slot   Slot
}

// Nack refuses a Prepare, Accept or Heartbeat at Ballot, because its sender has promised Promised,
// which is higher. Acceptor to the sender of that message. It is advice: losing it only costs time.
// The receiver ignores a Nack that names another ballot than its present attempt (P11.04). Slot is
// 0 unless the Nack answers an Accept.
//
//	nack 2.1 boot 3 promised 3.2 slot 9
type Nack struct {
	Ballot   Ballot
	Boot     Boot
	Slot     Slot
	Promised Ballot
}

// LeaseRejection refuses a Prepare, Accept or Heartbeat at Ballot because its sender
// granted a lease to another node, or may have granted one in an earlier life. By the
// sender's clock the reason ends after Left. The ballot was not too low: the receiver
// need not give up, and may ask again after Left. Acceptor to the sender of that message;
// advice, like Nack. Slot is 0 unless it answers an Accept.
//
//	lease-rejection 2.1 boot 3 slot 9 for 250ms
type LeaseRejection struct {
	Ballot Ballot
	Boot   Boot
	Slot   Slot
	Left   time.Duration
}

// Chosen says that in each slot of Slots the value proposed at Ballot was chosen
// (PMS §2.3). Leader to every member; it states a fact, so it waits for no record. A
// receiver that voted at Ballot has the value; any other receiver fetches it.
//
//	chosen 2.1 [7,10)
type Chosen struct {
	Ballot Ballot
	Slots  Range
}

// Heartbeat says that the sender leads at Ballot and that all slots below FirstOpen are chosen.
// Leader to every member, periodically and when a tenure begins: followers delay their campaigns,
// and a member that lags behind notices it. It asks every member, including the leader's own
// acceptor, for a grant (lease.go). It waits for the leader's own Promised record of Ballot.
//
//	heartbeat 2.1 boot 3 #12 open 10
type Heartbeat struct {
	Ballot    Ballot
	Boot      Boot
	Seq       uint64 // of this heartbeat, within the tenure
	FirstOpen Slot
	Lease     Lease // what a grant means to the leader; zero: it asks for none
}

// HeartbeatReply answers a Heartbeat: its sender has promised nothing above Ballot and knows the
// values of all slots below FirstOpen. Acceptor to leader. A leader that gets replies from no
// quorum for a long time steps down. Granted says that the sender gave the grant for which the
// heartbeat asked.
//
//	alive 2.1 boot 3 #12 open 9
//	alive 2.1 boot 3 #12 open 9 granted
type HeartbeatReply struct {
	Ballot    Ballot
	Boot      Boot // of the leader, echoed
	Seq       uint64
	FirstOpen Slot
	Granted   bool
}

// Released says that its sender stopped leading at Ballot and will never count a grant for which it
// asked at that ballot or a lower one. Former leader to every member, after its own Promised record
// for Ballot is durable: a sender that could forget the ballot could ask for grants at it again
// ("What a late message may do" in doc.go). Losing it only costs time. No receiver compares Boot.
//
//	released 2.1 boot 3
type Released struct {
	Ballot Ballot
	Boot   Boot
}

// Fetch asks a peer for the chosen values of Slots (P2.10). A node that lags behind
// sends it to one peer, its source, and turns to another peer if no help comes.
//
//	fetch [7,20)
type Fetch struct {
	Slots Range
}

// FetchReply carries the chosen values of the contiguous slots from From on. Any member to the
// sender of Fetch; it states facts, so it waits for no record. If the sender knows no more itself,
// it is empty, with FirstOpen <= From. Floor > From means that the sender has dropped the records
// below Floor.
//
//	fetched from 7 3 values open 20
type FetchReply struct {
	From      Slot
	Values    []Value
	FirstOpen Slot
	Floor     Slot
}

func (Prepare) message()        {}
func (Promise) message()        {}
func (Accept) message()         {}
func (Accepted) message()       {}
func (Nack) message()           {}
func (LeaseRejection) message() {}
func (Released) message()       {}
func (Chosen) message()         {}
func (Heartbeat) message()      {}
func (HeartbeatReply) message() {}
func (Fetch) message()          {}
func (FetchReply) message()     {}
