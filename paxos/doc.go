// Package paxos is pure: it is Multi-Paxos as a value that takes inputs and returns what its caller
// must do, without a goroutine, clock, disk, network or global randomness.
//
// A group of nodes agrees on one log. Each slot of the log gets one value, a batch of commands, and
// keeps it for ever. Every node hands the values out in slot order, each once in a process life. A
// value is safe once a majority of the group has it on disk. Messages may be lost, late, duplicated
// or reordered, and nodes may crash: none of that breaks agreement. While a majority can exchange
// messages and write, new values are chosen. The sources are Paxos Made Simple (Lamport 2001,
// "PMS") and Paxos Made Live (Chandra, Griesemer, Redstone 2007, "PML").
//
// # What a caller does
//
// A Node has one method for each kind of input: Step (a message came), Advance (time passed),
// Propose (a command needs a slot), Durable (the disk has synced up to a record), Applied (the
// state machine has applied up to a slot), Truncate and Installed (a snapshot is durable: the
// node's own, or a peer's). TakeOutput returns what the caller must do. A driver calls one method
// at a time and then, in any order and as late as it likes:
//
//   - writes Output.Append to its log, and when that is on disk calls Durable;
//   - sends Output.Send, or loses some of it;
//   - applies Output.Chosen, and calls Applied;
//   - gets a snapshot from a peer if Output.Behind asks for one;
//   - calls Advance no later than Output.Wake.
//
// A driver with a blocking disk and one with a disk on another thread differ only in when they call
// Durable. example_test.go has a group of three.
//
// # Reading order
//
// First one decision, without this package:
//
//	example_single_test.go         PMS §2.2: both phases, a lost message, the value rule
//
// Then the core, which is all of safety. It needs no clock: if every timer of the package
// were wrong, no slot would get two values.
//
//	ballot.go, slot.go, value.go   ballots, slots, and what a slot decides
//	quorum.go                      PMS §2.1: majorities, and counting distinct members
//	message.go, record.go          the messages, and what a node must not forget
//	acceptor.go                    PMS §2.2: the promise and the votes (1a, 1b, 2a, 2b)
//	proposer.go                    PMS §2.2: phase 1 and the value rule
//	learner.go                     PMS §2.3: what is chosen, in order
//	outbox.go                      PMS §2.5: the disk first, then the message
//	leader.go                      PMS §3: phase 2 for slot after slot
//	output.go, node.go, tenure.go  the inputs and the parts that handle them, and the leader
//
// In acceptor.go and proposer.go four things go beyond PMS §2: one phase 1 covers all slots, so
// that answers come in pages that name a range (PMS §3; "Why pages name ranges"); boot numbers
// ("Why boot numbers"); votes whose value a disk lost (PML §5.1; "The value rule"); slots that were
// dropped after a snapshot (PML §5.5). node.go also asks lease.go before it passes a message to the
// acceptor. Each of these makes a node refuse or wait where PMS would let it continue, so a first
// reading may skip them.
//
// Then progress. A mistake in these parts would only cost time:
//
//	election.go                    PMS §2.4: when to campaign, and backing off
//	retransmit_timer.go            when to send an Accept again
//	catchup.go                     PML §4.2: fetching values that others know
//	snapshot.go                    PML §5.5: dropping what a snapshot covers
//
// Then reads without the log, whose safety needs clocks with a bounded rate error:
//
//	lease.go                       PML §5.2: grants, and read authority
//	boost.go                       PML §5.2: a new ballot in the same tenure
//	handover.go                    leading or not, on demand
//
// Boost comes late because agreement does not need it: to acceptors it is a campaign like any
// other. That it may keep the tenure follows from leases.
//
// The rest: config.go, membership.go (which group governs a slot), queue.go and slot_log.go
// (containers), validate.go and codec.go (the wire), record_codec.go (the disk),
// invariant.go, status.go, heard.go, text.go.
//
// # For readers who know Raft
//
//	Raft                          here
//	term                          ballot; it names its candidate, so no vote is split, but two candidates may duel
//	index, commit index           slot; the first open slot, less one
//	RequestVote                   Prepare, which any node may send whatever its log holds
//	AppendEntries                 Accept, one for each slot, in any order
//	votedFor, log, on disk        Promised; Voted
//
// The largest difference: a Raft leader is elected because its log is complete, and it makes the
// followers' logs equal to its own. A leader here collects in phase 1 what its own log may lack,
// and no acceptor ever deletes a vote because of a leader. Slots are chosen out of order and handed
// out in order.
//
// # From the papers to the files
//
//	PMS §2.1  a majority, one vote an acceptor      quorum.go, acceptor.go
//	PMS §2.2  P1a: not below the promise            acceptor.go onAccept
//	PMS §2.2  P2c: the highest-numbered vote        proposer.go verdict.chooseValue
//	PMS §2.3  learning                              learner.go, node.go onChosen
//	PMS §2.4  progress, a distinguished proposer    election.go
//	PMS §2.5  stable storage before the answer      outbox.go
//	PMS §2.5  different ballots for all             ballot.go
//	PMS §3    phase 1 once for all slots            proposer.go, tenure.go startLeading
//	PMS §3    alpha slots in flight                 leader.go proposePending
//	PMS §3    no-ops in the holes                   proposer.go verdict.chooseValue
//	PML §4.1  re-proposing, ballots that grow       election.go startCampaign
//	PML §4.2  one disk write per value, overlapped  outbox.go, leader.go sendAccepts
//	PML §4.2  catch-up from the log of a peer       catchup.go
//	PML §5.5  truncation, catch-up by snapshot      snapshot.go
//	PML §5.2  master leases, the boosted ballot     lease.go, boost.go
//	PML §5.1  a disk that lost something            record.go Unreadable
//
// # Why a slot keeps its value
//
// PMS §2.2 requires P2b: once v is chosen at ballot b, every proposal at a higher ballot is for v.
// It follows from P2c, the value rule: a proposal at ballot c is for the value of the
// highest-numbered vote that a majority reported in phase 1 of c, and is free if this majority
// reported none. The argument, for one slot, by induction on c:
//
//   - Assume that v is chosen at b: the members of a majority C voted for v at b. Let c be
//     above b, and assume that all proposals at ballots from b up to, not including, c are
//     for v. (At b itself: one ballot has one value in a slot, see below.)
//   - The proposer of c has answers of a majority Q. C and Q share a member m. It voted at
//     b before it promised c, since it would have refused b afterwards. So m reported its
//     vote at b, or a later one: Q reported at least one vote, and the highest is not
//     below b.
//   - That highest vote is below c, since no Accept at c leaves before phase 1 of c is
//     over. It is a vote for a proposal at a ballot from b up to c, which is for v. The
//     value rule makes the proposal at c one for v.
//
// So every later vote is a vote for v, and no other value gets a majority: P2. If Q reports
// no vote, then no majority voted at a lower ballot, and none can any more, because the
// members of Q refuse lower ballots: the slot is free.
//
// "One ballot has one value in a slot" holds because a ballot names its node, which
// proposes one value in a slot at it and proposes nothing at it before its own promise of
// it is on disk: once that record is there, a later life takes a higher ballot.
//
// # A stable round
//
// Phase 1 was completed earlier. A command costs one round of messages, and the disks of leader and
// followers work at the same time:
//
//	leader 1                      follower 2                    follower 3
//	Propose, TakeOutput
//	append Voted (own vote)
//	  |  Accept (2a) ------------>|  append Voted
//	  |  Accept (2a) ------------ | --------------------------->|  append Voted
//	 sync                        sync                          sync (slow)
//	  |                           |                             |
//	own Accepted                  |                             |
//	  |<------------ Accepted (2b)|                             |
//	2 of 3: chosen                |                             |
//	Output.Chosen                 |                             |
//	  |  Chosen ----------------->|  its vote is the value      |
//	  |  Chosen ----------------- | --------------------------->|  its vote is the value
//	append Settled (no sync)     append Settled                append Settled
//	  |                           |                             |
//	  |<----------------------------------------- Accepted (2b)|  late: changes nothing
//
// A Heartbeat's FirstOpen says the same as Chosen, but less exactly ("Why Chosen names a ballot").
// A follower whose Accept was lost fetches the value.
//
// # Messages
//
//	message         from        to         waits for the sender's record    answered by
//	Prepare    (1a) candidate   members    -                                Promise, Nack, LeaseRejection
//	Promise    (1b) acceptor    candidate  Promised, each Voted it reports  (next Prepare)
//	Accept     (2a) leader      members    Promised of the ballot           Accepted, Nack, LeaseRejection
//	Accepted   (2b) acceptor    leader     Voted of the slot                -
//	Nack            acceptor    requester  -                                -
//	LeaseRejection  acceptor    requester  -                                -
//	Chosen          leader      members    -                                -
//	Heartbeat       leader      members    Promised of the ballot           HeartbeatReply, Nack, LeaseRejection
//	HeartbeatReply  acceptor    leader     -                                -
//	Released        ex-leader   members    Promised of the ballot           -
//	Fetch           laggard     any        -                                FetchReply
//	FetchReply      any         laggard    -                                (next Fetch)
//
// The first message of a process life waits for its Booted record too. The outbox holds a
// message until then, so no driver can send too early: it never sees such a message.
// "Members" includes the sender itself, whose own message waits in the same outbox: a
// leader counts its own vote only once its own disk has it. Accept does not wait for the
// leader's own vote, so disk and network work at the same time. Accept does wait for the
// Promised record of its ballot: a leader that forgot its ballot in a crash could use it
// again, for another value.
//
// # What a late message may do
//
// A message may arrive after its sender has crashed and lost what was not on its disk. The table
// therefore answers three questions for each message. Which records may the sender have lost since
// the message left (those for which it did not wait)? Does the receiver compare the boot number, so
// that it drops a message of an earlier life, or a reply to one? May the sender use the ballot
// again for something else?
//
//	message         sender may have lost      boot compared     ballot comes back
//	Prepare         Promised of the ballot    no; it is echoed  yes: the sender is a candidate at it again
//	Promise         later records             yes, the echo     of the candidate: yes, hence the echo
//	Accept          its own Voted             no; it is echoed  no: its promise is durable
//	Accepted        later records             yes, the echo     no: the Accept it answers left
//	Nack            Promised it names         yes, the echo     of the requester: yes, hence the echo
//	LeaseRejection  (a grant is memory)       yes, the echo     of the requester: yes, hence the echo
//	Chosen          that the slot is chosen   no                no: Accepts left at it before
//	Heartbeat       that slots are chosen     no; it is echoed  no: its promise is durable
//	HeartbeatReply  (a grant is memory)       yes, the echo     no: the Heartbeat it answers left
//	Released        nothing it claims         no                no: its promise is durable
//	Fetch           (it claims nothing)       no                it has none
//	FetchReply      that slots are chosen     no                it has none
//
// A Prepare is harmless when late: it makes its receiver promise, and the answer echoes a
// boot number that the present life does not have. Chosen, FirstOpen and FetchReply state
// facts about the group, which stay true when their sender forgets them. A Nack or
// LeaseRejection that names a lost promise or grant costs time. A granted HeartbeatReply
// outlives the memory of the grant, and rule 6 of Leases below covers it: after a restart a
// member may not promise for as long as any grant of its earlier lives can run.
//
// Only Released takes a protection away: its receiver helps another candidate at once. Suppose that
// it could leave before the promise of its ballot is durable. Then a crash could lose the promise,
// the next life could lead at the same ballot with a lease, and the late Released of the first life
// would free a grant that this lease counts. So it waits for that record
// (testdata/late_released.txt). A boot number, kept by the member and compared, would close the
// hole as well, but would be more memory that must be right; the record is there already.
//
// # Ballots that come back
//
// Prepare does not wait for the candidate's own Promised record. A candidate that crashes
// before this record is durable forgets the ballot, and its next life may take the same one
// again. That is safe:
//
//   - Nothing was proposed at it, no grant was asked for at it and none was released:
//     Accept, Heartbeat and Released wait for that record.
//   - Acceptors that promised it keep a promise that names a ballot, not a life. They
//     answer the new Prepare with their present votes.
//   - Answers to the earlier life carry its boot number and are dropped.
//
// If Prepare waited too, ballots would never come back, and each election would take one
// sync longer. testdata/late_released.txt and testdata/boot_number_names_a_life.txt play
// such ballots.
//
// # The value rule
//
// A new leader asks in phase 1 for the votes in all open slots and gets the answers of a
// majority. In each slot it must propose the value of the vote with the highest ballot.
// Where a majority has no vote, the slot is free. Free slots above all votes are for the
// leader's own commands; free slots between votes (holes) get a no-op, so that the slots
// above can be handed out.
//
// A disk may lose the value of a vote and keep its slot and ballot. Such a vote is reported
// as unreadable (Vote.Lost). It may be half of a majority that chose something, so it is
// never "nothing":
//
//  1. If the members with readable answers are a majority by themselves, they decide, as
//     above.
//  2. Otherwise, if some readable vote has the ballot of the highest unreadable one, or a
//     higher ballot, it decides: one ballot has one value in a slot.
//  3. Otherwise the candidate waits for another member.
//
// # Why pages name ranges
//
// The votes that a lagging group reports do not fit into one message. A Promise therefore
// is a page: "in the slots [7, 20) my votes are exactly these". The absence of a vote is
// information (it may lead to a no-op, or to a command in that slot), so the page must say
// for which slots absence counts. A page ends where the candidate must ask on; a member
// counts for the majority only when its pages, end to end, reach the open end. A member
// that has dropped old votes answers from a higher slot than the candidate asked for. That
// gap is not an absence: the candidate first catches up to above it.
//
// # Why boot numbers
//
// Node 1 sends Prepare(b) from slot 50. The answer of node 3, "nothing", is delayed. Node 1 crashes
// before its promise of b is on disk, and also forgets that the slots below 50 are chosen. It
// starts again, uses the same ballot b, and asks from slot 30. As an answer to the second Prepare,
// the delayed page would say that node 3 has nothing from 30 on, where it may hold half of a
// majority. So every life has a number, which is on disk before the first message of the life
// leaves; every request carries it and every reply echoes it.
//
// In this package the range in the page closes the same hole a second time: a page from 50
// on is no answer about 30. The two are not the same, though: a page names the slots it is
// about, a boot number names the request it answers, and the replies without a range
// (Accepted, Nack, HeartbeatReply) have only the latter.
//
// # Why Chosen names a ballot
//
// "Slot 9 is chosen" is not enough for a node that has a vote in slot 9: its vote may be
// for another value, that of a deposed leader at another ballot. Chosen says "the value
// proposed at ballot b". One ballot has one value in a slot, so a vote at b is the chosen
// value, and a node without one fetches it. For the same reason Heartbeat.FirstOpen ("all
// slots below are chosen") makes a node fetch and never makes it learn.
//
// # Snapshots
//
// The state machine takes snapshots when it likes, without agreement (P7.01). This package only
// drops. Once a snapshot of slot s is durable, votes and values up to s are of no use to this node,
// and Truncate drops as many of them as the caller wants; the caller may keep some for laggards. A
// node reports what it has dropped: its pages begin above (P11.01), its FetchReply names the floor,
// and it does not answer an Accept below.
//
// A laggard that meets a floor above the slot that it needs reports that (Output.Behind) and
// continues to ask others. If the caller gets a snapshot from a peer, makes it durable and replaces
// the state, Installed moves the first open slot behind it. It moves nothing else: the promise, and
// votes above the snapshot, still bind the acceptor.
//
// # Leases
//
// A log orders every read at the price of a round. A leader with grants of a majority needs no
// round: while the grants run, no other node can have a value chosen, so what the leader has
// applied is up to date (PML §5.2).
//
//  1. Every heartbeat asks for a grant and names its terms (Lease: for how long, with
//     which error of clocks). A member that is configured otherwise does not grant.
//  2. A member that does not refuse the heartbeat grants for Grant by its own clock, from
//     the moment at which it handles the heartbeat, and says so. Until then it refuses
//     promises, votes and grants to all other nodes (LeaseRejection), raises no promise
//     for them, and does not campaign. It never refuses the holder because of a grant.
//  3. The leader counts that grant for Term by its own clock, from when it *sent* the
//     heartbeat, never from when the answer came. Term is Grant(1-rho)/(1+rho): the
//     leader's clock may be slow and the member's fast.
//  4. The leader asks its own acceptor, too, through the same outbox.
//  5. Read authority ends with the quorum-th latest of the counted ends (Node.Lease).
//     Nothing remembers that a lease "is held".
//  6. Grants are not on disk. A process that had lives before may not promise, to itself
//     neither, and may not grant, for the longest Grant that any life of it was configured
//     with (the restart hold-off). It follows and votes.
//  7. A leader that stops leading counts nothing from that instant, and says so (Released),
//     so that no candidate waits for a grant that is not counted. Released waits for the
//     promise of its ballot, as Heartbeat does. A member that follows it campaigns within
//     a heartbeat then, and so it does where it has waited for the end of a grant.
//
// Why 3 is enough: let the leader send at true time s, and the member handle it at p >= s.
// The leader counts until s + Term/(1-rho) at the latest, the member honours it until
// p + Grant/(1+rho) at the earliest, and the first is not above the second.
//
// Why 6 is enough: a member grants only a Lease equal to its own, so a life grants at most
// the Grant it is configured with, and Booted has that on disk before a grant can leave.
// The present configuration alone would not do. Package replica/core has the first master
// write the Lease into the rows, and stops a replica that is configured otherwise, but only
// once that replica has applied this row. Say a member grants for 60 s, crashes before it
// applies the row, and is restarted with a Grant of 1 s. It would promise to another
// candidate after 1 s, while the leader counts its grant for 59 s more
// (testdata/restart_with_a_shorter_grant.txt).
//
// Why refusing is enough: the leader at ballot a has grants of a majority. Any higher
// ballot needs promises of a majority; the two share a member, which either promised the
// higher ballot before the heartbeat at a came, and then refused the heartbeat, or was
// asked after, and then refused the promise. A lower ballot cannot reach a majority since a
// majority has promised a. So no value is chosen but the leader's own, and those that its
// phase 1 found. It answers alone only when it has applied all slots below its own first
// command (P4.11; the caller sees to that: replica/master serves after its epoch command).
//
// A stable leader that meets a higher ballot runs phase 1 again above it and continues (boost.go).
// Its heartbeats keep the old ballot until that is over. To see why, let node 3 win ballot 6 with
// the promise of node 2 and have values chosen. Let node 1, leader at 5, whose lease is over, ask
// for grants at 7 before any member has promised 7. Node 2, which node 3 has not yet asked for a
// grant, would give one, and node 1 would read old state. At ballot 5, node 2 refuses.
//
// # Invariants
//
// The numbers never change, and none is reused: I-T2 to I-T4 no longer exist. Panics, tests and the
// simulator's reports use them. The kind says when each is checked: state (after every input, under
// the build tag deep), delta (this output against the last), pair (when a record or message is
// written or sent, and again when it is read or received).
//
//	I-A1  delta  the promise of an acceptor never decreases, in memory or on disk
//	I-A2  pair   an acceptor votes at its promise, never below its last vote in the
//	             slot; the same of what a log gives back
//	      state  no vote is above the promise
//	I-A3  pair   an acceptor never sees two values at one ballot and slot
//	I-A4  pair   no message leaves before the record that it waits for is durable
//	I-L1  delta  a chosen slot keeps its value for ever
//	I-L2  state  applied < first open slot; slots are handed out in order
//	      delta  the first open slot never goes back
//	I-L3  state  nothing is proposed above the window
//	I-L4  pair   nothing is dropped that the state machine has not applied; the
//	             same of what a log gives back
//	I-P1  pair   a leader's own slots lie above every vote that phase 1 found
//	      state  demanded values go into the slots they were demanded for
//	I-P2  pair   a no-op fills a hole only on a majority of "nothing"; unreadable is
//	             not nothing
//	I-P3  pair   a leader's own acceptor has promised its ballot
//	I-P4  state  a node that leads campaigns only above its ballot: a boost
//	I-P5  state  phase 1 waits for another member only while the answers of a quorum leave
//	             the value of some slot open
//	I-G1  delta  while a grant runs no other node gets a promise; a grant is not shortened
//	I-G2  delta  a leader counts its lease for no longer than a term from now
//	I-T1  delta  time does not go back
//
// Properties of several nodes at once (one value a slot, over all disks; one lease at an
// instant) cannot be asserted by one of them: model_test.go and the simulator check them.
package paxos
