package paxos

import "time"

// Message is one of the structs of this file, and of no other package. Each
// says who sends it to whom, what it claims, and what must be on the sender's
// disk before it may leave (the gate in gate.go enforces it). Every answer names
// the slot and ballot it answers and echoes the boot number of the question.
type Message interface{ message() }

// Prepare asks for phase 1 at Ballot over all slots from From on, one page of
// slots an answer (PMS §2.2 phase 1a, for all open slots at once: PMS §3).
// Candidate to every member. It claims nothing and waits only for the boot
// record. Sent again until answered (P11.03, hole 1).
//
//	prepare 2.1 boot 3 from 7
type Prepare struct {
	Ballot Ballot
	Boot   Boot
	From   Slot
}

// Vote is what an acceptor last accepted in a slot. Lost means: there was a
// vote at this ballot, and the value is unreadable (F0.3); it is never to be
// read as "nothing".
type Vote struct {
	Slot   Slot
	Ballot Ballot
	Value  Value
	Lost   bool
}

// Promise answers one page of a Prepare: the sender will accept nothing below
// Ballot, and its votes in the slots Page are exactly Votes, in slot order
// (PMS §2.2 phase 1b). Slots of Page without a vote are "nothing". The next page
// starts at Page.To; the last one ends at MaxSlot. Acceptor to candidate, after
// its Promised record and each vote it reports are durable.
//
// FirstOpen tells that all slots below are chosen, and known to the sender; the
// candidate catches up by Fetch. Page.From may lie above the asked slot where
// the acceptor no longer holds the votes below: absence is not "nothing".
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

// Accept asks the acceptors to vote for Value in Slot at Ballot (phase 2a).
// Leader to every member, after the leader's own Promised record for Ballot is
// durable: a leader that forgot its ballot could put a second value under it.
// It does not wait for the leader's own vote (P2.05). Sent again until a quorum
// answered (hole 2).
//
//	accept 2.1 boot 3 slot 9 v1f2e3d4c
type Accept struct {
	Ballot Ballot
	Boot   Boot
	Slot   Slot
	Value  Value
}

// Accepted says that the sender voted in Slot at Ballot (phase 2b). Acceptor to
// leader, after its Accepted record is durable.
//
//	accepted 2.1 boot 3 slot 9
type Accepted struct {
	Ballot Ballot
	Boot   Boot // of the leader, echoed
	Slot   Slot
}

// Nack refuses a Prepare, Accept or Heartbeat at Ballot, because the sender
// promised Promised, which is higher. Acceptor to whoever asked. It is advice:
// losing it costs time only. One that names another ballot than the present
// attempt is ignored (P11.04). Slot is 0 unless it answers an Accept.
//
//	nack 2.1 boot 3 promised 3.2 slot 9
type Nack struct {
	Ballot   Ballot
	Boot     Boot
	Slot     Slot
	Promised Ballot
}

// Leased refuses a Prepare, Accept or Heartbeat at Ballot because its sender has
// given its word to another node, or may have in an earlier life, for Left more
// of its own time. Nobody has promised more: the asker need not give up, it may
// ask again then. Acceptor to whoever asked; advice, like Nack. Slot is 0 unless
// it answers an Accept.
//
//	leased 2.1 boot 3 slot 9 for 250ms
type LeaseRejection struct {
	Ballot Ballot
	Boot   Boot
	Slot   Slot
	Left   time.Duration
}

// Chosen says that in each slot of Slots the value proposed at Ballot was
// chosen (PMS §2.3). Leader to every member; a fact, so it waits for nothing.
// A receiver that voted at Ballot knows the value; another one fetches it.
//
//	chosen 2.1 [7,10)
type Chosen struct {
	Ballot Ballot
	Slots  Range
}

// Heartbeat tells that the sender leads at Ballot and that all slots below
// FirstOpen are chosen. Leader to every member, periodically and when a tenure
// begins; it holds off elections and lets a lagging member notice. It asks every
// member, the leader's own acceptor included, for a grant (lease.go), and stands
// on the leader's own Promised record of its ballot.
//
//	heartbeat 2.1 boot 3 #12 open 10
type Heartbeat struct {
	Ballot    Ballot
	Boot      Boot
	Seq       uint64 // of this heartbeat, within the tenure
	FirstOpen Slot
	Lease     Lease // what is meant by a grant; zero: none is asked for
}

// HeartbeatReply answers a Heartbeat: its sender has promised nothing above
// Ballot and knows all slots below FirstOpen. Acceptor to leader. A leader that
// hears from no quorum for long stops leading. Granted says that the sender has
// given its word for the time the heartbeat asked for.
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

// Released says that its sender stopped leading at Ballot and counts no grant
// that it asked for at that ballot or a lower one, now or ever. Former leader to
// every member, after its own Promised record for Ballot is durable: a sender that
// could forget the ballot could ask for grants at it again ("What a late message may
// do" in doc.go). Losing it costs time only. No receiver compares Boot.
//
//	released 2.1 boot 3
type Released struct {
	Ballot Ballot
	Boot   Boot
}

// Fetch asks any peer for chosen values from From on (P2.10). Laggard to the
// peer it picked as its source; sent again, to another peer, until it learns.
//
//	fetch [7,20)
type Fetch struct {
	Slots Range
}

// FetchReply gives chosen values: of the contiguous slots from From on. Any
// member to a laggard; facts, so it waits for nothing. It is empty, with
// FirstOpen <= From, when the sender knows no more itself. Floor > From says
// that the records below Floor are gone here.
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
