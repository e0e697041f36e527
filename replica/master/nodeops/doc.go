// Package nodeops is pure: what the present master does with calls on nodes, in one
// epoch.
//
// Ops remembers the open handles (replica/master/handle), the Acquires that wait for a lock
// (replica/master/lockwait), the events that clients have not acknowledged
// (replica/master/event), the lock-delays that run, and the ephemeral nodes that may have
// no open handle. The calls under way stand in a table that it shares with the master
// (replica/master/calls). It begins empty with an epoch, and a fail-over loses it. Nothing
// in it is needed for safety: what must not be wrong is decided by the rows where a command
// is applied (replica/state/command). Calls go in; answers and commands come out. The master
// (replica/master) owns it, knows the sessions, and has judged a call before it gets here:
//
//	its op is good in itself (Op.Check)                 else Invalid, TooLarge
//	this master serves, in the epoch it names           else NotMaster, OldEpoch, Recovering
//	its session is alive, and of the sender's           else NoSession, Permission
//	principal
//	its Seq is above all Seen of the session            else Stale (tested here too, as far as it is known here)
//
// Reading order: ops.go (what is remembered), ask.go (the order of tests), use.go
// and deed.go (from tokens to commands), open.go, close.go, sequencer.go, wait.go
// (Acquires), call.go and session.go (how calls and sessions change), keep.go, barrier.go
// and change.go (caches); then what happens without a call: applied.go, event.go, advance.go,
// delay.go, sweep.go, failover.go; audit.go, audit_barrier.go,
// report.go.
//
// # The order of tests
//
// For each duplicate of a call; the first that applies decides:
//
//	its client has seen the answer, or given it up           Stale
//	a duplicate is under way                                 that one's answer; Parked if that waits
//	Ops has answered it, and no row has the answer           that answer, again
//	a row has the answer                                     that answer, again, with its token
//	its token is none, forged, another session's             BadHandle, whatever else
//	its handle is closed, poisoned                           HandleClosed, HandlePoisoned
//	of an older epoch: node gone, no room                    Gone, Crowded; else recreated (see Present)
//	its handle has not the right that the op needs           NoRight
//	of an older epoch: the op needs one, and it was lost     Permission
//	it only reads, and can be answered now                   from the rows
//	its command touches what a client may have in its cache  nothing yet: it is held
//	else                                                     what the rows say where its command is applied
//
// CloseHandle leaves out the fourth: what was closed in an earlier epoch must be
// closed in this one as well.
//
// # Duplicates
//
// The network repeats, delays and reorders. A call may come any number of times,
// also after it was answered. It is done once because its answer is a row. But some
// answers are no row: what was read, and what Ops refuses. A duplicate that is
// judged anew may be executed when its client believes that it was refused:
//
//	ann's Open finds no /e, and she is told so; bob makes /e, ephemeral; a duplicate of
//	ann's call arrives: now ann has it open, does not know it, and it never goes
//
// So the table of calls keeps such answers, until the client says Seen: at most
// api.MaxWindow for a session. What only reads and leaves nothing behind may be read again.
// Duplicates of earlier epochs do not come here; and a client that has heard of a later
// epoch takes no answer of an earlier one: so what is kept need not survive the epoch.
//
// A deletion that takes a lock away waits at the barrier as well, until each client that holds the lock
// counts on it no more: told so by EventDropLocks, which it acknowledges as a drop of its cache, or since its
// session is over. An Acquire that the log grants in front of such a deletion is answered behind it: NotHeld.
//
// # What is answered now
//
// The master answers from the rows and from memory where calls.Table.CanAnswerNow says so:
// it has read authority, and no call that the client has given up is under way to the log.
// Else the call goes into the log, behind the others. A Poison alone is always memory, and
// makes nothing final.
//
// # Refusals
//
// A refusal is final only if this replica is master when it refuses. If the call can be
// answered now, it is; else the refusal itself becomes a command (command.Fail),
// and is answered when that was executed in this epoch. That a token is none depends
// on nothing and is said at once.
//
// # Acquires that wait
//
// Each joins the queue, also where the lock is free, and is proposed when its turn
// has come: with the Release of the last holder, on Claimable, or when a waiter in front of it
// leaves. Refused where it is applied, it keeps its place. So one release proposes one writer, however many
// wait. It is Parked in between: the client need not send it again soon.
//
//	a Release of the last holder comes   turns are taken as they will be behind it in the log
//	freed, delay over, waiter left       turns are looked at again
//	granted                              OK with Held, and it leaves
//	handle closed, poisoned              HandleClosed, HandlePoisoned
//	node deleted                         Gone
//	session ended                        NoSession
//	cancelled                            Cancelled, once a command has made sure that it is never granted
//	epoch over                           NotMaster: what waits here waits at the next master
//
// If an Acquire is proposed when one of these happens, its command decides; the command
// that frees what its handle holds stands behind it in the log. For this the log must keep
// the order in which Ops proposes.
//
// An Acquire of a handle that holds a lock already is proposed at once: it has what
// it wants, or must release first; it never waits for itself. But if its Release is
// proposed, it joins the queue, or it would always be first. One that does not wait
// is answered from the rows, with authority, where they say LockHeld or LockDelayed.
//
// # Ephemeral nodes
//
// A node goes when no session has it open (C3.03): when its last handle is closed, or its
// session ends; a directory when its last child has gone as well. A sweep is
// proposed only if the node has no open handle, no children, and no Open of its path
// is proposed; and an Open waits for a proposed sweep of its path, so that it opens
// either the node that stays or none. Handles of before the epoch are not known
// before they are presented: nodes that are older than the epoch are left alone
// until Config.SweepAfter after Serving. Then all are looked at, once.
//
// # Events
//
// A client says when it opens a node of which kinds of events it wants to hear (CHU §2.5), and the
// token keeps that. Each event is made from an effect of a command that was applied, so it is told
// after the fact, in the order of the log: whatever the client reads then has the change. That a
// lock is wanted is no effect: it is told when an Acquire that conflicts is parked or refused, and
// to a handle that has got a lock for which others wait.
//
//	effect or call                                  event                   for handles on
//	contents written                                EventContents           the file
//	child made, written or given other ACL names,   EventChildren           the directory
//	deleted
//	node deleted                                    EventInvalid            the node
//	lock went from free to held                     EventLockAcquired       the node
//	an Acquire waits or is refused for a holder     EventLockWanted         the node, and hold the lock
//	a handle that events may have missed:           EventReadAgain          the node
//	given out for an Open of before
//	a token is presented, and cannot be taken up    EventInvalid, or else   the node
//	                                                EventReadAgain
//
// The answers to KeepAlives carry events: Output.Told names the sessions that have some.
//
// # Caches
//
// Clients keep answers in caches (CHU §2.7). What each may have is known by replica/master/cache, in
// terms of paths; the drops are events. An answer may be kept if its request says MayCache, the session
// has a lease that runs, no sequencer is attached to the handle, and it is given from the rows to the
// very request that comes:
//
//	answer                                         depends on
//	contents, metadata, the whole of a listing     the path, and the ACL files that the node names
//	an Open of what is there                       the same
//	an Open of what is not there, by its full      the path: what is made there is made at that
//	path                                           path, whatever becomes of the directories above
//	other answers; those that come again           are not kept
//
// A command that touches paths (command.Touches) is proposed when no client has them in its cache:
//
//	the call, or the sweep, comes                  from now on nothing that depends on its paths may be kept
//	a client may have one of them, by another      the change is held (calls.Barred); each such client is
//	session or by a later call                     told to drop the path, once, and its KeepAlive answered
//	it has acknowledged that, or its session       the next is looked at
//	has ended
//	none has one                                   the call is judged anew, and proposed; what its own
//	                                               client may have is gone
//	applied, refused by the log, given up before   something may be kept again
//	it was proposed, answered otherwise
//
// Reads pass meanwhile, and are not kept. A call that is held leaves the barrier when its client gives
// it up, its handle is closed or poisoned, its session or the epoch ends. A sweep that is held is
// withdrawn by an Open of its path; one that is proposed is not: see above.
//
// A registration ends with the end of its session where that is applied, and not at the end of the
// lease: a log that is full does not take the end of a session, its client comes again, and an answer
// that was sent before would be kept by it.
//
// # After a fail-over
//
// New runs the delays that the rows name again, in full. Present takes up handles
// that clients bring; EpochAcked fails the owners of locks that were not brought; IsReady
// says when that has been done for all. Other handles are taken up when they
// are used. A handle is taken up only if its node stands; one that was closed in
// this epoch never again. Rights are asked for again by each call that needs one, and
// not before: a client whose rights were taken away keeps the lock that it holds, and
// the ephemeral node that it has open, until it gives them back, as it does while
// masters do not change. If they went with the handle, it would go on believing in
// them, since no answer to a KeepAlive speaks of single handles. An Acquire that was
// granted before the epoch, and whose answer was lost, is answered NotHeld if the
// lock was freed since.
//
// # What the log refuses
//
// A call is answered with the code that comes with it, and its client sends it
// again. What no client would send again, Ops proposes again after Config.Retry:
// Acquires that wait, sweeps, ends of delays, FailHandle. An Acquire whose handle has
// got the lock meanwhile, by another call, waits no more: its client sends it again.
//
// # Invariants
//
//	I-B2  state  for each proposed Open a handle is kept free
//	I-B3  state  the calls that are queued are those that have a place in a queue for their lock; their handles are open
//	I-B4  state  a path is swept or opened, not both; what waits for a sweep waits for one that is proposed
//	I-B5  state  no Acquire waits for a lock that its handle holds, or in front for one that it could have, without being proposed
//	I-B6  state  until the epoch is over: sessions that are remembered, for their calls or their handles, are alive
//	I-B7  state  no client may have in its cache what a proposed command touches, but for the call's own
//	I-B8  state  each change that is held waits for a client that was told; it, and each that is proposed, holds its paths
package nodeops
