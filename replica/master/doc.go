// Package master is pure: the memory and the decisions of the present master.
//
// Every replica has a Master; it is idle until the replica leads the log. The Master turns
// requests of clients into commands, and the outcomes of commands into answers. It reads the
// rows when an epoch of its own begins, and to answer calls that need no command at that
// instant (calls.Table.CanAnswerNow). Whether a session is alive or a call was executed before
// is decided when its command is applied (replica/state/command).
//
// Its parts last one epoch each: how long sessions live (replica/master/session); handles,
// locks and nodes in use (replica/master/nodeops); the calls under way and the answers that
// are repeated (replica/master/calls), a table that nodeops shares; and the queue in front of
// the log (replica/master/fairqueue). The Master judges requests, passes time and rows to the
// parts, tells them which commands were applied, and carries their commands to the log and
// their answers to clients.
//
// A fail-over loses all of it. What must survive is a row; the next master builds the rest
// from the rows and from the tokens that clients present.
//
// Reading order: master.go (the methods that the replica calls), tenure.go (the states),
// failover.go (from an epoch to serving), request.go (calls on rows), read.go (reads
// without the log), nodes.go (calls on nodes), keepalive.go (leases of sessions, proof of
// leadership), proposal.go (commands and their purposes), turns.go (the order in front of the
// log), install.go (rows of a snapshot), seekers.go (clients that look for a master), report.go
// (for operators).
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
// Another tenure of this replica, at another ballot, leads from any state to electing: another
// replica may have led in between.
//
//	state       a request gets                        commands proposed
//	following   NotMaster, hint: the leader           none
//	electing    NotMaster, hint: this replica         the Epoch command, first of the tenure
//	recovering  Recovering; a KeepAlive is answered   those of the steps, ends of sessions
//	serving     a place in the log; a read with a     calls, ends of sessions, commands of
//	            lease is answered at once; calls on   nodeops; all guarded by this tenure's
//	            nodes: see nodeops                    epoch
//	deposed     NotMaster, hint: the epoch's master   none
//
// A Master is deposed from the end of its epoch, which it sees in the rows, to the end of its
// tenure, which the log reports. A call that waits goes on waiting: its command may stand in the
// log below the new epoch, and then the client gets its true outcome. A KeepAlive that waits is
// answered NotMaster at once.
//
// A request that was answered NotMaster is answered once more when an epoch begins here, because its
// client pauses before it asks again, while the new master waits for it (seekers.go). The new master
// answers OldEpoch, another replica NotMaster with the name of the master; both answers name the epoch.
//
// An epoch of this tenure begins when the very Epoch command of this tenure, recognized by
// master and ballot, is applied. An epoch that merely names this replica is not enough: phase 1
// may have found, and proposed again, the Epoch command of an earlier tenure of this replica. The
// epoch of that command ends before the one of this tenure begins.
//
// # The steps of a fail-over (CHU §2.9)
//
//	      step                         entered when            left when
//	1, 2  electing                     this replica leads      its Epoch is applied
//	3     rebuild: sessions from rows  the epoch begins        at once
//	3     founding                     -                       the cell exists: Found is applied
//	3     nodeops begins               the cell exists         at once
//	3     measuring                    -                       the rows allow the shortest lease
//	4-6   flushing: KeepAlives only    leases may be granted   each session of step 3 has
//	                                                           acknowledged the epoch, or ended;
//	                                                           locks of handles that no client
//	                                                           presented are free
//	7     serving                      all know of the epoch   the epoch ends
//	8     an old handle is taken up    it is used              at once (replica/master/nodeops)
//	9     ephemeral nodes are swept    a minute of 7 is over   all are looked at (replica/master/nodeops)
//
// In step 3 each session gets, from that instant, the longest lease that the predecessor can
// have granted. A KeepAlive of a session that has not acknowledged the epoch is answered at
// once, with Failover, and does not extend that lease, so that the fail-over ends. The client
// presents its tokens in as many KeepAlives as they need, before the one that acknowledges the
// epoch; the Master passes them to nodeops. New sessions are opened in the state serving only,
// and know the epoch.
//
// # The client's epoch
//
// Every request, unless it opens a session, names the newest epoch that its client has heard
// of. A master accepts only requests that name its own epoch (C12.04):
//
//	lower   OldEpoch; the answer names the present epoch. The request was sent to a former
//	        master, or its client has not heard of this one
//	higher  NotMaster without a hint: this replica is deposed and does not know it yet
//
// # Guards
//
// A call is guarded by the epoch in which it was received (P5.01). The master stamps it
// then, once. A duplicate that comes in a later epoch becomes another command with another
// guard, and at most one of the two is executed.
//
// # Numbers
//
// Session and Seq name a call, whatever the request asks for. A request whose number is under
// way is a duplicate and gets the answer of that call, even if one of them is about a row and
// the other about a node. The client library never reuses a number so. If a client did, and the
// master did not do this, one call would have two commands in the log.
//
// # Proof of leadership
//
// A lease of a session is a promise, and a session ends only when its lease is over by the
// clock of a replica that is certain to be master. With read authority this replica is. Without
// it, the Master proposes a Confirm (command.ConfirmLeadership), one at a time. If the Confirm is
// executed, it stood in the log below any later epoch, so this replica was master when it proposed
// the Confirm. Everything that was due by then is done as of that instant. A new master counts the
// longest lease from the application of its Epoch command, which is later. So a cell without read
// authority keeps its sessions alive too, with one command for all that is due.
//
// # When a call on rows is answered
//
// The documentation of nodeops has the calls on nodes.
//
//	applied, executed or repeated          its answer, whichever duplicate was applied
//	applied, refused, this tenure's guard  the refusal; Aborted, if deposed
//	applied, refused, another guard        nothing: this tenure's command is still coming
//	tenure ends                            NotMaster to all that wait: the outcome is unknown
//	too many calls wait, in all or of      Later, with authority; else Busy: never proposed
//	its principal
//	given up before its turn came          Stale: never proposed
//	a duplicate comes after the client     Stale
//	has given it up
//
// A deposed master knows that the guards of all calls that wait are old. It does not answer
// Aborted before their commands are applied, though: only there the rows say whether an older
// duplicate was executed.
//
// # What is final
//
// A client that has given calls up says so with AckedThrough. Every later answer to it is then
// final: none of those calls is executed after the answer. For answers that come from the log, the
// order of the log ensures it. An answer from the rows waits for no command. So a read goes into the
// log too while a call that AckedThrough covers has a command under way, and a later duplicate of such
// a call is not executed. Duplicates that name an older epoch are refused anyway, so the table of calls
// remembers AckedThrough for one epoch only.
//
// # Turns
//
// Commands for calls of clients, and commands that follow from them, wait for their turn in the log
// (replica/master/fairqueue). Each principal has a queue, so a principal that asks without rest waits
// for itself. Commands that this replica needs to be master go to the log at once: its epoch, the
// steps, the longest lease, proof of leadership. So do ends of sessions, which must not wait until
// their clients are back. Therefore KeepAlives wait behind no call, and a full log delays none of their
// answers. Decisions that were made when a command joined its queue are made again where it is
// applied. A command that its client has given up leaves the queue, unless it takes or gives back a
// handle or a lock (turns.go).
//
// # Invariants
//
//	I-E1  delta  the epochs that a master is told of rise by one; those of installed rows
//	             do not fall
//	I-E2  state  only a master in an epoch of its own, or deposed, has requests waiting
//	I-E3  state  a master in an epoch of its own is in the present epoch
//	I-E4  state  a master remembers sessions if, and only if, it is in an epoch of its own
//	I-E5  deep   it remembers as many sessions as are alive in the rows; its table of calls,
//	             its fair queue and its memory of nodes agree with the rows and with each
//	             other (I-C1 to I-C3, I-J1 to I-J3, I-B2 to I-B8)
package master
