// Package master is pure: the memory and the decisions of the present master.
//
// Every replica has a Master; it is idle until the replica leads. Nothing here
// is replicated and nothing survives a fail-over: what must, is a row. The
// Master turns requests into commands, and what became of the commands into
// answers. It never looks at the rows: whether a session is alive or a call was
// executed before is decided when the command is applied (replica/command).
//
// Reading order: master.go (the doors), tenure.go (the state machine),
// pending.go (who waits for what).
//
// # States
//
//	            Tenure(mine)                 own Epoch applied
//	following ---------------> electing --------------------> serving
//	    ^                         |                              |
//	    |     Tenure(not mine)    |      Tenure(not mine),       |
//	    +-------------------------+      another Epoch applied   |
//	    +--------------------------------------------------------+
//
// A Tenure that is mine again, at another ballot, leads from any state to
// electing: in between another replica may have led.
//
//	state      a request gets                        commands proposed
//	following  NotMaster, hint: who leads            none
//	electing   NotMaster, hint: this replica         the Epoch command, first of the tenure
//	serving    a place in the log                    calls, guarded by this tenure's epoch
//
// Serving begins when exactly the Epoch command of this tenure, told by master
// and ballot, was applied. "Some epoch with my name" is not enough: the command
// of an earlier tenure of this replica may lie among the old slots that phase 1
// found and proposed again, and the epoch it begins ends before this tenure's.
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
//	applied, refused, guard of this epoch  the refusal: it is this tenure's copy
//	applied, refused, older guard          nothing: this tenure's copy is still coming
//	tenure ends                            NotMaster to all who wait: unknown
//	another epoch begins                   Aborted to all who wait: their guards are old
//	log takes no more                      Busy: never proposed
//
// The last but one says more than NotMaster would: the log is applied in order,
// so a copy that was not applied before that epoch began lies behind it.
//
// # Invariants
//
//	I-E1  delta  the epochs a master is told rise by one
//	I-E2  state  only a serving master has requests waiting
package master
