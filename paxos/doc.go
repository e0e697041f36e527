// Package paxos is pure: Multi-Paxos as a value that is told what happened and
// says what to do, with no goroutine, clock, disk, network or global randomness.
//
// A group of nodes agrees on one log. Each slot of the log gets one value, a
// batch of commands, and keeps it for ever; every node hands the values out in
// slot order, each once in a process life. A value is safe once a majority of
// the group has it on disk. Nothing that is lost, late, doubled or reordered on
// the way, and no crash, breaks that; while a majority can talk and write, new
// values are chosen. The sources are Paxos Made Simple (Lamport 2001, "PMS") and
// Paxos Made Live (Chandra, Griesemer, Redstone 2007, "PML").
//
// # What a caller does
//
// A Node has one door for each thing that can happen: Step (a message came),
// Advance (time passed), Propose (a command wants a slot), Durable (the disk has
// got so far), Applied (the state machine has got so far), Truncate and Installed
// (a snapshot is durable: its own, or one from elsewhere). TakeOutput empties it
// of what it wants done. A driver calls one door at a time and then, in any
// order and as late as it likes:
//
//   - writes Output.Append to its log, and when that is on disk calls Durable;
//   - sends Output.Send, or loses it;
//   - applies Output.Chosen, and calls Applied;
//   - gets a snapshot from a peer where Output.Behind asks for one;
//   - calls Advance no later than Output.Wake.
//
// A driver with a blocking disk and one with a disk on another thread differ in
// nothing but when Durable is called. example_test.go is a group of three.
//
// # Reading order
//
// Safety first. A reader of PMS §2.1 and §2.2 finds them in the files up to leader.go.
//
//	ballot.go, slot.go, value.go   what is numbered, and what is decided
//	quorum.go                      majorities, and counting distinct members
//	message.go, record.go          what is said, and what must not be forgotten
//	acceptor.go                    PMS §2.2: the promise and the votes
//	proposer.go                    PMS §2.2: phase 1 and the value rule
//	leader.go                      PMS §3: phase 2 for slot after slot
//	learner.go                     PMS §2.3: what is chosen, in order
//	gate.go                        PMS §2.5: the disk first, then the message
//	lease.go                       PML §5.2: grants, and who may answer alone
//	boost.go                       PML §5.2: a new ballot in the same tenure
//	output.go, node.go             the doors, and which part each input goes to
//
// Then liveness, which may be wrong and would only cost time:
//
//	election.go                    PMS §2.4: when to campaign, and backing off
//	patience.go                    when to say it again
//	catchup.go                     PML §4.2: fetching what others know
//	snapshot.go                    PML §5.5: forgetting what a snapshot covers
//
// And the rest: config.go, membership.go (who governs a slot), queue.go and
// span.go (containers), validate.go and codec.go (the wire), record_codec.go
// (the disk), invariant.go, status.go, text.go.
//
// # From the papers to the files
//
//	PMS §2.1  a majority, one vote an acceptor     quorum.go, acceptor.go
//	PMS §2.2  P1a: not below the promise           acceptor.go accept
//	PMS §2.2  P2c: the highest-numbered vote       proposer.go verdict.value
//	PMS §2.3  learning                             learner.go, node.go onChosen
//	PMS §2.4  progress, a distinguished proposer   election.go
//	PMS §2.5  stable storage before the answer     gate.go
//	PMS §2.5  different ballots for all            ballot.go
//	PMS §3    phase 1 once for all slots           proposer.go, leader.go begin
//	PMS §3    alpha slots in flight                leader.go pump
//	PMS §3    no-ops in the holes                  proposer.go verdict.value
//	PML §4.1  re-proposing, ballots that grow      election.go campaign
//	PML §4.2  one disk write per value, overlapped gate.go, leader.go propose
//	PML §4.2  catch-up from the log of a peer      catchup.go
//	PML §5.5  truncation, catch-up by snapshot     snapshot.go
//	PML §5.2  master leases, the boosted ballot    lease.go, boost.go
//	PML §5.1  a disk that lost something           record.go Unreadable
//
// # Messages
//
//	message         from        to         waits for the sender's record    answered by
//	Prepare         candidate   members    -                                Promise, Nack, Leased
//	Promise         acceptor    candidate  Promised, each Voted it reports  (next Prepare)
//	Accept          leader      members    Promised of the ballot           Accepted, Nack, Leased
//	Accepted        acceptor    leader     Voted of the slot                -
//	Nack            acceptor    asker      -                                -
//	Leased          acceptor    asker      -                                -
//	Chosen          leader      members    -                                -
//	Heartbeat       leader      members    Promised of the ballot           HeartbeatReply, Nack, Leased
//	HeartbeatReply  acceptor    leader     -                                -
//	Released        ex-leader   members    Promised of the ballot           -
//	Fetch           laggard     any        -                                FetchReply
//	FetchReply      any         laggard    -                                (next Fetch)
//
// The first message of a process life waits for its Booted record too. The gate
// (gate.go) holds a message until then, so no driver can be too early: it never
// sees such a message. "Members" includes the sender itself, whose own message
// passes the same gate: a leader counts its own vote only once its own disk has
// it. Accept does not wait for the leader's own vote, so disk and network work at
// the same time. Accept does wait for the Promised record of its ballot: a leader
// that forgot its ballot in a crash could use it again, for another value.
//
// # What a late message may do
//
// A message may arrive after its sender has crashed and lost what was not on its
// disk. So each message of the table answers three questions. Which records may its
// sender have lost since it left (those it did not wait for)? Does the receiver
// compare the boot number, so that a message of an earlier life, or an answer to one,
// is dropped? May the sender use the ballot again for something else?
//
//	message         sender may have lost      boot compared     ballot comes back
//	Prepare         Promised of the ballot    no; it is echoed  yes: the sender is a candidate at it again
//	Promise         later records             yes, the echo     of the asker: yes, hence the echo
//	Accept          its own Voted             no; it is echoed  no: its promise is durable
//	Accepted        later records             yes, the echo     no: the Accept it answers left
//	Nack            Promised it names         yes, the echo     of the asker: yes, hence the echo
//	Leased          (a grant is memory)       yes, the echo     of the asker: yes, hence the echo
//	Chosen          that the slot is chosen   no                no: Accepts left at it before
//	Heartbeat       that slots are chosen     no; it is echoed  no: its promise is durable
//	HeartbeatReply  (a grant is memory)       yes, the echo     no: the Heartbeat it answers left
//	Released        nothing it claims         no                no: its promise is durable
//	Fetch           (it claims nothing)       no                it has none
//	FetchReply      that slots are chosen     no                it has none
//
// A Prepare is harmless when late: it makes its receiver promise, and the answer
// echoes a boot number that the present life does not have. Chosen, FirstOpen and
// FetchReply state facts about the group, which stay true when their sender forgets
// them. A Nack or Leased that names a lost promise or grant costs time. A granted
// HeartbeatReply outlives the memory of the grant, and rule 6 of Leases below covers
// it: after a restart a member promises nothing for one whole Grant.
//
// Released alone takes a protection away: its receiver helps another candidate at
// once. If it could leave before the promise of its ballot were durable, a crash could
// lose the promise, the next life could lead at the same ballot with a lease, and the
// late Released of the first life would free a grant that this lease counts. So it
// waits for that record (testdata/late_released.txt). A boot number, kept by the
// granter and compared, would close the hole as well, at the price of more memory
// that must be right; the record is there already.
//
// # The value rule
//
// A new leader asks what was voted in all open slots (phase 1) and hears from a
// majority. In each slot it must propose the value of the vote with the highest
// ballot: if any value was chosen there, it is that one, because the majority
// that chose it and the majority that answered share a member, and every ballot
// in between had to follow the same rule. Where a majority has nothing, nothing
// was chosen and nothing can be at a lower ballot any more: the slot is free.
// Free slots above all votes are the leader's own; free slots between votes
// (holes) get a no-op, so that the slots above can be handed out.
//
// A disk may lose the value of a vote and keep its slot and ballot. Such a vote
// is reported as unreadable (Vote.Lost). It may be half of a majority that chose
// something, so it is never "nothing":
//
//  1. If the members with readable answers are a majority by themselves, they
//     decide, as above.
//  2. Otherwise, if some readable vote has the ballot of the highest unreadable
//     one, or a higher ballot, it decides: one ballot has one value in a slot.
//  3. Otherwise the candidate waits for another member.
//
// # Why pages name ranges
//
// The votes of a lagging group do not fit into one message. A Promise therefore
// is a page: "in the slots [7, 20) my votes are exactly these". The absence of a
// vote is information (it may lead to a no-op, or to a command in that slot), so
// it must be clear what the absence speaks of. A page ends where its reader must
// ask on; a member counts for the majority only when its pages, end to end, reach
// the open end. A member that has dropped old votes answers from a higher slot
// than it was asked for, and that gap is a gap, not an absence: the candidate
// first catches up to above it.
//
// # Why boot numbers
//
// Node 1 asks Prepare(b) from slot 50. The answer of node 3, "nothing", is
// delayed. Node 1 crashes before its promise of b is on disk, and also loses that
// it knew the slots below 50 to be chosen; it starts again, takes the same
// ballot b, and asks from slot 30. Read as an answer to the second question, the
// delayed page says that node 3 has nothing from 30 on, where it may hold half of
// a majority. So every life has a number, which is on disk before its first
// message leaves; every question carries it and every answer echoes it.
//
// In this package the range in the page closes the same hole a second time: a
// page from 50 on is no answer about 30. The two are not the same, though: a page
// says what it is about, a boot number says which question it answers, and the
// answers without a range (Accepted, Nack, HeartbeatReply) have only the latter.
//
// # Why Chosen names a ballot
//
// "Slot 9 is chosen" is not enough for a node that has a vote in slot 9: its vote
// may be a deposed leader's, for another value, at another ballot. Chosen says
// "the value proposed at ballot b". One ballot has one value in a slot, so a vote
// at b is the chosen value, and a node without one fetches it. That is also why
// Heartbeat.FirstOpen ("all below are chosen") makes a node fetch and never makes
// it learn.
//
// # Snapshots
//
// The state machine takes snapshots, when it likes and without a word to others
// (P7.01). This package only forgets: once a snapshot of slot s is durable, votes
// and values up to s are of no use to this node, and Truncate drops as many of
// them as the caller says; he may keep some for laggards. What a node has dropped
// it says: its pages begin above (P11.01), its FetchReply names the floor, and an
// Accept below is not answered.
//
// A laggard that meets a floor above what it needs says so (Output.Behind) and
// goes on asking others. If the caller gets a snapshot from a peer, makes it
// durable and replaces the state, Installed moves the first open slot behind it.
// It moves nothing else: the promise, and votes above the snapshot, are owed to
// others.
//
// # Leases
//
// A log gives every read a place at the price of a round. A leader to which a
// majority has given its word needs no round: while they keep it nobody else can
// have a value chosen, so what the leader has applied is the present (PML §5.2).
//
//  1. Every heartbeat asks for a grant and says what is meant by one (Lease: for
//     how long, within which error of clocks). Who was told otherwise at start
//     grants nothing.
//  2. A member that does not refuse the heartbeat gives its word for Grant by its
//     own clock, from when it handles the heartbeat, and says so. Until then it
//     refuses whoever else asks for a promise, a vote or a grant (Leased), raises
//     no promise for him, and does not campaign. The holder is never refused.
//  3. The leader counts that grant for Term by its own clock, from when it *sent*
//     the heartbeat, never from when the answer came. Term is Grant(1-rho)/(1+rho):
//     the leader's clock may be slow and the member's fast.
//  4. The leader asks its own acceptor, too, by the same gate.
//  5. Read authority ends with the quorum-th latest of the counted ends
//     (Node.Lease). Nothing remembers that a lease "is held".
//  6. Grants are not on disk. A process that had lives before may not promise, to
//     itself neither, and may not grant, for the longest Grant that any life of it
//     was configured with (the restart hold-off). It follows and votes.
//  7. A leader that stops leading counts nothing from that instant, and says so
//     (Released), so that no candidate waits for what is of no use. Released waits
//     for the promise of its ballot, as Heartbeat does.
//
// Why 3 is enough: let the leader send at true time s, and the member handle it at
// p >= s. The leader counts until s + Term/(1-rho) at the latest, the member honours
// it until p + Grant/(1+rho) at the earliest, and the first is not above the second.
//
// Why 6 is enough: a member grants only what is asked for with the very Lease it is
// configured with, so a life grants at most its own Grant, and Booted has that on disk
// before a grant can leave. The present configuration alone would not do: package
// replica/core has the first master write the Lease into the rows and stops a replica
// that is configured otherwise, but only once that replica has applied this row. A
// member that granted for 60 s, crashed before it applied it, and was restarted with a
// Grant of 1 s would promise to another candidate after 1 s, while the leader counts its
// grant for 59 s more (testdata/restart_with_a_shorter_grant.txt).
//
// Why refusing is enough: the leader at ballot a has grants of a majority. Any
// higher ballot needs promises of a majority; the two share a member, which either
// promised the higher ballot before the heartbeat at a came, and then refused it,
// or was asked after, and then refused that. A lower ballot cannot reach a majority
// since a majority has promised a. So no value is chosen but the leader's own, and
// those that its phase 1 has brought to its knowledge: it answers alone only when
// it has applied all slots below its own first command (P4.11; that is for who
// applies: replica/master serves after its epoch command).
//
// A stable leader that hears of a higher ballot runs phase 1 again above it and
// goes on (boost.go). Its heartbeats keep the old ballot until that is over: say
// node 3 wins ballot 6 with the promise of node 2, has values chosen, and node 1,
// leader at 5, whose lease is over, asks for grants at 7 before anybody promised
// 7. Node 2, which 3 has not yet asked for a grant, gives one; node 1 would read
// what is no longer so. At ballot 5, node 2 refuses.
//
// # Invariants
//
// Numbered for good; the numbers stand in panics, tests and the simulator's
// reports. The kind says when each is looked at: state (after every input, under
// the build tag deep), delta (now against before), pair (when something is
// written or sent, and again when it is read or received).
//
//	I-A1  delta  the promise of an acceptor never decreases, in memory or on disk
//	I-A2  pair   an acceptor votes at its promise, never below its last vote in the
//	             slot; the same of what a log gives back
//	      state  no vote is above the promise
//	I-A3  pair   an acceptor never sees two values at one ballot and slot
//	I-A4  pair   nothing leaves before the record it stands on is durable
//	I-L1  delta  a chosen slot keeps its value for ever
//	I-L2  state  applied < first open slot; slots are handed out in order
//	      delta  the first open slot never goes back
//	I-L3  state  nothing is proposed above the window
//	I-L4  pair   nothing is forgotten that the state machine has not consumed; the
//	             same of what a log gives back
//	I-P1  pair   a leader's own slots lie above every vote phase 1 heard of
//	      state  demanded values go into the slots they were demanded for
//	I-P2  pair   a no-op fills a hole only on a majority of "nothing"; unreadable is
//	             not nothing
//	I-P3  pair   a leader's own acceptor has promised its ballot
//	I-P4  state  a node that leads campaigns only above its ballot: a boost
//	I-P5  state  phase 1 waits for another member only while what a quorum told leaves
//	             the value of some slot open
//	I-G1  delta  while a grant runs nobody else is given a promise; it is not shortened
//	I-G2  delta  a leader counts on its lease for no longer than a term from now
//	I-T1  delta  time does not go back
//	I-T2  state  pauses before others are asked again have a bound: 16 Retransmit for
//	             promises, 8 for values; so have those before a campaign, beside a
//	             grant: 32 ElectionMax, and one while somebody leads
//	I-T3  state  defeats are forgotten as soon as somebody leads
//	I-T4  delta  who led, and is not told to, campaigns no sooner than ElectionMin after
//
// What concerns several nodes at once (one value a slot, over all disks; one lease
// at an instant) cannot be asserted by one of them: model_test.go and the simulator
// look at it.
package paxos
