// Package master is pure: the memory and the decisions of the present master.
//
// Every replica has a Master; it is idle until the replica leads. Nothing here
// is replicated and nothing survives a fail-over: what must, is a row. The
// Master turns requests into commands, and what became of the commands into
// answers. It looks at no rows but to answer what only reads, at an instant at
// which this replica may do so alone (At): whether a session is alive or a call was
// executed before is decided when the command is applied (replica/command).
//
// Reading order: master.go (the doors), tenure.go (the state machine),
// pending.go (who waits for what), read.go (reads without the log), install.go
// (rows that jump).
//
// # States
//
//	            Tenure(mine)              own Epoch applied
//	following --------------> electing --------------------> serving
//	    ^                        |                              |
//	    |    Tenure(not mine)    |                              | another Epoch applied
//	    +------------------------+      Tenure(not mine)        v
//	    +---------------------------------------------- serving, deposed
//
// A Tenure that is mine again, at another ballot, leads from any state to
// electing: in between another replica may have led.
//
//	state      a request gets                        commands proposed
//	following  NotMaster, hint: who leads            none
//	electing   NotMaster, hint: this replica         the Epoch command, first of the tenure
//	serving    a place in the log; reads, with a     calls, guarded by this tenure's epoch
//	           lease, their answer
//	deposed    NotMaster, hint: whose epoch it is    none
//
// Deposed is the time between the end of the epoch, which the rows tell, and the
// end of the tenure, which the log tells. Who waits goes on waiting: his command
// may be found below, and then its true outcome is told.
//
// Serving begins when exactly the Epoch command of this tenure, told by master
// and ballot, was applied. "Some epoch with my name" is not enough: the command
// of an earlier tenure of this replica may lie among the old slots that phase 1
// found and proposed again, and the epoch it begins ends before this tenure's.
//
// # The client's epoch
//
// Every request but one that opens a session names the epoch that its client has
// heard of, and a serving master takes those of its own epoch only (C12.04):
//
//	lower   OldEpoch, and the answer tells the present one: a packet to a former
//	        master, or a client that has not heard of this one
//	higher  NotMaster, naming nobody: this replica is deposed and does not know
//
// # Guards
//
// A call is guarded by the epoch in which it was received (P5.01). It is stamped
// then, once; a copy that comes later, in a later epoch, is another command with
// another guard, and at most one of them is executed.
//
// # What is answered when
//
//	applied, executed or repeated          its answer, whichever copy was applied
//	applied, refused, this tenure's guard  the refusal; Aborted, if deposed
//	applied, refused, another guard        nothing: this tenure's copy is still coming
//	tenure ends                            NotMaster to all who wait: unknown
//	log takes no more                      Busy: never proposed
//
// A deposed master knows that the guards of all who wait are old, and does not
// tell them Aborted before their commands are applied: only there is looked up
// whether an older copy was executed.
//
// # Invariants
//
//	I-E1  delta  the epochs a master is told rise by one; those of installed rows
//	             do not fall
//	I-E2  state  only a serving or deposed master has requests waiting
//	I-E3  state  a serving master serves in the present epoch
package master
