// Package lock is pure: the locks of a cell as replicated rows: their holders, and the
// lock-delays during which no handle may claim them.
//
// Every node of the name space is a lock too. A lock is named by its node (path and
// instance). Its holders are handles (session and handle id): one that holds it
// exclusively, or any number that share it. Locks are advisory: they conflict with other
// locks and with nothing else. The functions of this package run inside commands, on all
// replicas, at the same place of the log; that place, the number of the command, is
// their only clock. What follows outside the rows is returned as effects.
//
// Reading order: lock.go (names and states), acquire.go, release.go, fail.go,
// check.go, effect.go; then list.go, report.go, audit.go and key.go, row.go (the rows).
//
// # What a lock is, at one place of the log
//
// Holders: handles, each with a mode, the number of the command that granted it (its
// acquisition) and its own lock-delay. Running delays: of holders that failed. A
// generation: the number of the command that took the lock from free to held.
//
//	Acquire         no instance, handle or mode         Invalid
//	                this handle holds it in this mode   OK, already: the same acquisition and generation
//	                in the other mode                   LockOther
//	                it holds another lock               LockOther
//	                another handle holds it, and the
//	                modes conflict                      LockHeld
//	                a delay is running                  LockDelayed
//	                else                                OK
//	Release         frees the caller's hold with the acquisition it names, at once
//	ReleaseHandle   Close: frees what the handle holds, at once
//	ReleaseSession  a session's own end: frees all that its handles hold, at once
//	FailHandle,     a holder failed: its locks are no longer held, but each is
//	FailSession     delayed for the holder's own lock-delay
//	EndDelay        the delay that began with this command is over
//	Forget          the node was deleted: its lock is gone, with holders and delays
//
// # Why
//
//   - The generation moves when a free lock becomes held, in either mode, and not when a
//     reader joins. A sequencer of the present holders stays valid; one of an earlier
//     period never becomes valid again. The generation is the command's number, so it
//     cannot repeat: not by deletion, re-creation or restore of a node.
//   - Acquire is idempotent for a handle. A retransmitted call finds that its handle
//     holds the lock, and one Release frees it.
//   - The other mode is refused. Two readers that both waited to become the writer would
//     wait for each other for ever; a writer that became a reader would break its own
//     sequencer without a free lock in between. The handle must release first.
//   - Release names the acquisition. Generations do not suffice: readers A and B hold at
//     generation 5; A releases and acquires again, and it is still generation 5; a
//     delayed duplicate of A's first Release would free A's second hold.
//   - A delay is the failed holder's own, so each has a row, named by the command that
//     freed the lock. The lock is delayed until the last one is over. The master runs
//     the clocks. It proposes command.DelayOver when one has passed, and the rows are
//     tested when commands are applied: a delay that begins before an Acquire in the log
//     holds it back, whatever its proposer knew. A new master finds the running delays
//     (Delays) and runs each again in full.
//   - While a delay runs no handle may claim the lock in either mode, not even to join
//     readers that still hold it: the client of the failed holder may still believe that it
//     holds the lock.
//   - A delay is bounded in Acquire, on all replicas: a faulty master's command cannot
//     make one longer.
//   - The row of a lock stays while its node exists, even if the lock is free: I-K2
//     compares the next generation with the last. The node's metadata
//     (replica/state/tree) hold the number too; the command that grants moves both.
//   - Waiting is not here. It is memory of the master (replica/master/lockwait), which
//     learns from the effect Claimable when to attempt an Acquire again.
//
// # Rows
//
// All keys begin with the byte 'l' and one more, which names the family. A lock in
// a key is: instance u64, length of the path u16, path. Numbers are big-endian.
//
//	key                                  value, behind a version byte             family
//	'l' 'l' lock                         generation, mode, holders, delays u64    the lock itself
//	'l' 'h' lock session epoch counter   mode, acquisition, delay in ms u64       a hold
//	'l' 's' session epoch counter        instance u64, path                       index: what a handle holds
//	'l' 'd' lock number                  delay in ms u64                          a running delay
//
// # Invariants
//
//	I-K1  pair   a row of this package that is read was written by this package
//	I-K2  delta  the generation of a lock rises whenever it goes from free to held, and at no other time
//	I-K3  state  an exclusive lock has one holder, a shared one at least one, a free one none; all hold
//	             it in its mode, none was granted before the generation; the row counts holders and delays
//	I-K4  state  holds and index name each other, so a handle holds at most one lock
//	I-K5  state  delays keep to the bound; a running one is above zero and began after the lock's present or
//	             last generation did; an exclusively held lock has none running
package lock
