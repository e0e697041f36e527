// Package master is pure: the memory and the decisions of the present master.
//
// Every replica has a Master; it is idle until the replica leads the log. The Master turns
// requests of clients into commands, and what became of the commands into answers. It reads
// rows when an epoch of its own begins, to know what there is, and to answer calls that
// need no command, at an instant at which it may (calls.Table.CanAnswerNow). Whether a
// session is alive or a call was executed before is decided where its command is applied
// (replica/state/command).
//
// Each of its parts lasts one epoch: how long sessions live (replica/master/session);
// handles, locks and nodes in use (replica/master/nodeops); the calls under way and the
// answers that are repeated (replica/master/calls), which nodeops shares; and the queue in
// front of the log (replica/master/fairqueue). The Master judges requests, gives the parts
// time and rows, tells them what was applied, and carries what they want to the log and to
// clients.
//
// A fail-over loses all of it. What must survive is a row; the next master builds the rest
// from the rows and from what clients bring back.
//
// Reading order: master.go (the methods that the replica calls), tenure.go (the states),
// failover.go (from an epoch to serving), request.go (calls on rows), read.go (reads
// without the log), nodes.go (calls on nodes), keepalive.go (leases of sessions, proof of
// leadership), proposal.go (what is proposed for what), turns.go (the order in front of the
// log), install.go (rows that jump), report.go (for operators).
//
// # States
//
//	            Tenure(mine)              own Epoch applied             steps are over
//	following --------------> electing --------------------> recovering ---------------> serving
//	    ^                        |                               |                          |
//	    |    Tenure(not mine)    |                               |   another Epoch applied  |
//	    +------------------------+      Tenure(not mine)         v                          v
//	    +-------------------------------------- recovering, serving, deposed <--------------+
//
// A Tenure that is mine again, at another ballot, leads from any state to
// electing: in between another replica may have led.
//
//	state       a request gets                        commands proposed
//	following   NotMaster, hint: the leader           none
//	electing    NotMaster, hint: this replica         the Epoch command, first of the tenure
//	recovering  Recovering; a KeepAlive its answer    those of the steps, ends of sessions
//	serving     a place in the log; reads, with a     calls, ends of sessions, what nodeops
//	            lease, their answer; on nodes: what   wants; all guarded by this tenure's
//	            nodeops says                          epoch
//	deposed     NotMaster, hint: the epoch's master   none
//
// Deposed is the time between the end of the epoch, which the rows tell, and the end of the
// tenure, which the log tells. A call that waits goes on waiting: its command may be found
// below the new epoch, and then the client is told the true outcome. A KeepAlive that waits
// is answered NotMaster at once.
//
// A request that got NotMaster is answered once more when an epoch begins here: its client looks for the
// master and pauses, and the new one waits for it (seekers.go). From the new master the answer is OldEpoch, from
// another replica NotMaster with the name; both tell the epoch.
//
// An epoch of this tenure begins when exactly the Epoch command of this tenure,
// told by master and ballot, was applied. "Some epoch with my name" is not enough:
// the command of an earlier tenure of this replica may lie among the old slots that
// phase 1 found and proposed again, and the epoch it begins ends before this
// tenure's.
//
// # The steps of a fail-over (CHU §2.9)
//
//	      step                         entered when            left when
//	1, 2  electing                     this replica leads      its Epoch is applied
//	3     rebuild: sessions from rows  the epoch begins        at once
//	3     founding                     -                       there is a cell: Found is applied
//	3     nodeops begins               there is a cell         at once
//	3     measuring                    -                       the rows allow the shortest lease
//	4-6   flushing: KeepAlives only    leases may be granted   each session of step 3 has
//	                                                           acknowledged the epoch, or ended;
//	                                                           what they did not present is free
//	7     serving                      all know of the epoch   the epoch ends
//	8     an old handle is taken up    it is used              at once (replica/master/nodeops)
//	9     ephemeral nodes are swept    a minute of 7 is over   all are looked at (replica/master/nodeops)
//
// In step 3 each session gets the longest lease that the predecessor can have
// granted, from then on. A KeepAlive of a session that has not acknowledged the epoch
// is answered at once, with Failover, and does not extend that lease: so the
// fail-over ends. The tokens that it brings are presented to nodeops, in as many
// KeepAlives as it takes, before the one that acknowledges. A session is opened in
// serving only, and knows the epoch.
//
// # The client's epoch
//
// Every request but one that opens a session names the epoch that its client has
// heard of, and a master takes those of its own epoch only (C12.04):
//
//	lower   OldEpoch, and the answer tells the present one: a packet to a former
//	        master, or a client that has not heard of this one
//	higher  NotMaster without a hint: this replica is deposed and does not know
//
// # Guards
//
// A call is guarded by the epoch in which it was received (P5.01). The master stamps it
// then, once; a duplicate that comes in a later epoch is another command with another
// guard, and at most one of them is executed.
//
// # Numbers
//
// Session and Seq name a call, whatever is asked for by them: a request whose number is
// under way is a duplicate and gets that call's answer, also where one is about a row and
// the other about a node. No client of ours numbers like that; a client that did would have
// two commands of one call in the log.
//
// # Proof of leadership
//
// A lease of a session is a promise, and a session ends only when its lease is over
// by the clock of a replica that is certainly master. With read authority this replica is.
// Without, it puts a Confirm into the log, one at a time: if that is executed, it stood
// there below any later epoch, so this replica was master when it proposed it, and what was
// due by then is done as of that instant. A new master counts the longest lease from the
// application of its Epoch, which is later. So a cell without read authority keeps its
// sessions alive too, by one command for all that is due.
//
// # When a call on rows is answered
//
// The documentation of nodeops has the calls on nodes.
//
//	applied, executed or repeated          its answer, whichever duplicate was applied
//	applied, refused, this tenure's guard  the refusal; Aborted, if deposed
//	applied, refused, another guard        nothing: this tenure's command is still coming
//	tenure ends                            NotMaster to all that wait: unknown
//	too many wait, of all or of its        Later, with authority; else Busy: never proposed
//	principal
//	given up before its turn came          Stale: never proposed
//	a duplicate comes after it was given   Stale
//	up
//
// A deposed master knows that the guards of all calls that wait are old, and does not answer
// Aborted before their commands are applied: only there is looked up whether an older
// duplicate was executed.
//
// # What is final
//
// A client that has given calls up says so with Seen, and what it is told then is
// final: none of them is executed behind the answer. The log sees to that for answers that
// come from there. An answer from the rows waits for no command; so a read goes into the
// log, too, while a call of its session that Seen covers is under way, and a duplicate of
// such a call that comes later is not executed. Duplicates that name an older epoch are
// refused anyway; so this is memory of one epoch, in the table of calls.
//
// # Turns
//
// What clients ask for, and what follows from it, waits for its turn in the log
// (replica/master/fairqueue): each principal has a queue, so that one that asks without
// rest waits for itself. What this replica needs to be master goes to the log at once: its
// epoch, the steps, the longest lease, proof of leadership; and ends of sessions, which must
// not wait until their clients are back. So KeepAlives wait behind no call, and a full log
// delays none of their answers. What was decided when a command joined its queue is decided
// again where it is applied. A command that its client has given up leaves the queue, unless
// it takes or gives back a handle or a lock (turns.go).
//
// # Invariants
//
//	I-E1  delta  the epochs a master is told rise by one; those of installed rows
//	             do not fall
//	I-E2  state  only a master in an epoch of its own, or deposed, has requests waiting
//	I-E3  state  a master in an epoch of its own is in the present epoch
//	I-E4  state  such a master, and no other, remembers sessions
//	I-E5  deep   it remembers as many sessions as are alive in the rows; its table of calls,
//	             its fair queue and its memory of nodes agree with the rows and with each
//	             other (I-C1 to I-C3, I-J1 to I-J3, I-B2 to I-B8)
package master
