// Package nodeops is pure: what the present master does with calls on nodes, in one
// epoch.
//
// Ops remembers the open handles (replica/master/handle), the Acquires that wait for a lock
// (replica/master/lockwait), the events that clients have not acknowledged
// (replica/master/event), the paths that clients may have cached (replica/master/cache), the
// lock-delays that run, and the ephemeral nodes that may have no open handle. The calls under
// way stand in a table that it shares with the master (replica/master/calls). Ops begins empty
// with an epoch, and a fail-over loses it. Nothing in it is needed for the safety of the rows:
// where a command is applied, the rows decide (replica/state/command). Calls go in; answers and
// commands come out. The master (replica/master) owns Ops, knows the sessions, and has checked
// a call before it gets here:
//
//	its op is well-formed (Op.Check)                    else Invalid, TooLarge
//	this master serves, in the epoch that it names      else NotMaster, OldEpoch, Recovering
//	its session is alive, and belongs to the            else NoSession, Permission
//	principal of the sender
//	its Seq is above the session's AckedThrough         else Stale (Ask checks this too)
//
// Reading order: ops.go (what is remembered), ask.go (the order of tests), use.go
// and deed.go (from tokens to commands), open.go, close.go, sequencer.go, wait.go
// (Acquires), call.go and session.go (how calls and sessions change), keep.go, barrier.go
// and change.go (caches); then what happens without a call: applied.go, event.go, advance.go,
// delay.go, sweep.go, failover.go; audit.go, audit_barrier.go, report.go.
//
// # The order of tests
//
// Each duplicate of a call passes these tests; the first that applies decides the answer:
//
//	its client has the answer, or has given the call up      Stale
//	another duplicate is under way                           the answer of that one; Parked if it is parked
//	Ops has kept an answer to it                             that answer again
//	a row has an answer to it                                that answer again, with its token
//	its token is malformed, forged or another session's      BadHandle, whatever else holds
//	its handle is closed or poisoned                         HandleClosed, HandlePoisoned
//	its handle is of an older epoch: node gone, no room      Gone, Crowded; else recreated (see Present)
//	its handle lacks the right that the op needs             NoRight
//	its handle is of an older epoch and its principal has    Permission
//	lost the right that the op needs
//	it only reads, and can be answered now                   from the rows
//	its command touches a path that a client may have        none yet: it waits at the barrier
//	cached
//	otherwise                                                that of its command, when it is applied
//
// CloseHandle skips the fourth test: a handle that was closed in an earlier epoch must be
// closed in this one as well.
//
// # Duplicates
//
// The network repeats, delays and reorders. A call may arrive any number of times, even after
// it was answered. It is executed once because its answer is a row. But some answers stand in
// no row: those to reads, and refusals by Ops. If a duplicate were judged anew, it might be
// executed although its client believes that it was refused:
//
//	ann's Open finds no /e, and she is told so; bob makes /e, ephemeral; a duplicate of
//	ann's Open arrives: now ann has /e open and does not know it, so /e is never deleted
//
// So the table of calls keeps such answers until the client acknowledges them: at most
// api.MaxWindow for a session. A plain read leaves nothing behind, so it may be repeated.
// Duplicates of earlier epochs do not come here, and a client that has heard of a later
// epoch takes no answer of an earlier one, so the kept answers need not survive the epoch.
//
// # Calls that are answered at once
//
// The master answers from the rows and from memory if calls.Table.CanAnswerNow allows it:
// it has read authority, and no call that the client has given up is under way to the log.
// Otherwise the call goes into the log, behind the others. Only Poison is always decided in
// memory; it makes nothing final.
//
// # Refusals
//
// A refusal is final only if this replica is master when it refuses. If the call can be
// answered now, it is. Otherwise the refusal itself becomes a command (command.Fail), and the
// call is answered when that has been executed in this epoch. That a token is bad depends on
// no row and is answered at once.
//
// # Acquires that wait
//
// Each joins the queue, even if the lock is free, and is proposed when its turn has come: with
// the Release of the last holder, on Claimable, or when a waiter in front of it leaves. If it is
// refused where it is applied, it keeps its place. So one Release makes Ops propose one writer,
// however many wait. In between it is Parked: the client need not send it again soon.
//
//	a Release of the last holder is      the waiters whose turn it is behind that Release
//	proposed                             are proposed with it
//	lock freed, delay over, waiter left  the waiters whose turn it is now are proposed
//	granted                              OK with Held, and it leaves
//	handle closed, poisoned              HandleClosed, HandlePoisoned
//	node deleted                         Gone
//	session ended                        NoSession
//	cancelled                            Cancelled, once a command has made sure that it is never granted
//	epoch over                           NotMaster: the client sends it to the next master
//
// If an Acquire is proposed when one of these happens, its command decides. The command that
// frees the locks of its handle stands behind it in the log. This requires that the log keeps
// the order in which Ops proposes.
//
// An Acquire of a handle that holds a lock already is proposed at once: the handle has what it
// wants, or must release first; it never waits for itself. But while its Release is proposed,
// its next Acquire joins the queue: else this handle would always be first. An Acquire that does
// not wait is answered from the rows, with authority, if they say LockHeld or LockDelayed.
//
// # Ephemeral nodes
//
// A node is deleted when no session has it open (C3.03): when its last handle is closed or the
// session of that handle ends; a directory only when its last child has gone as well. A sweep is
// proposed only if the node has no open handle and no children, and no Open of its path is
// proposed. An Open waits for a proposed sweep of its path; then it opens the node that stayed,
// or none. Ops does not know handles of earlier epochs before they are presented. So it leaves
// nodes that are older than the epoch alone until Config.SweepAfter after Serving, and then
// looks at all of them, once. A node with a lock-delay that runs stays until that is over.
//
// # Events
//
// When a client opens a node, it says which kinds of events it wants (CHU §2.5); the token keeps
// that. Each event is made from an effect of an applied command. So it is told after the fact, in the
// order of the log: whatever the client reads then includes the change. EventLockWanted comes from no
// effect: it is told when a conflicting Acquire is parked or refused, and to a handle that gets a lock
// for which others wait.
//
//	effect or call                                  event                   for handles on
//	contents written                                EventContents           the file
//	child made, written or given other ACL names,   EventChildren           the directory
//	deleted
//	node deleted                                    EventInvalid            the node
//	lock went from free to held                     EventLockAcquired       the node
//	an Acquire waits or is refused because of a     EventLockWanted         the node, if they hold the
//	holder                                                                  lock
//	a handle may have missed events, since it was   EventReadAgain          the node: that handle
//	given out for an Open that was executed before,
//	or had no room when it was presented, or was
//	recreated after that, when it was used
//	a handle is presented and its node was deleted  EventInvalid, or else   the node: that handle
//	                                                EventReadAgain
//
// The answers to KeepAlives carry events: Output.Told names the sessions that have some.
//
// # Caches
//
// Clients keep answers in caches (CHU §2.7). replica/master/cache knows which paths each may have
// cached; drops are told as events. A client may keep an answer if its request says MayCache, its session
// has a lease that runs, no sequencer is attached to the handle, and the answer is read from the rows
// within the very Ask of that request:
//
//	answer                                         depends on
//	contents, metadata, a complete listing         the path, and the ACL files that the node names
//	an Open of a node that exists                  the same
//	NotFound to an Open by full path               the path alone: a node made there changes it, and
//	                                               changes of the directories above do not
//	other answers, and repeated ones               not kept
//
// A command that touches paths (command.Touches) is proposed when no client has them in its cache:
//
//	the call, or the sweep, arrives                no answer that depends on its paths is cacheable now
//	a client may have one of them, by another      the change waits at the barrier (calls.Barred); each such
//	session or by a later call                     client is told once to drop the path, in the answer to
//	                                               its KeepAlive, which is due at once
//	that client acknowledges, or its session       the change waits for the remaining clients
//	ends
//	no client has one                              the call is judged anew, and proposed; registrations of
//	                                               its own client end
//	its command is applied or refused by the log,  answers are cacheable again
//	or the call is given up before it is proposed,
//	or answered otherwise
//
// Reads are answered meanwhile; they are not cacheable. A call leaves the barrier early when its client
// gives it up, its handle is closed or poisoned, or its session or the epoch ends. An Open of its path
// withdraws a sweep that waits at the barrier; for a proposed sweep the Open waits, see above.
//
// A registration ends when the end of its session is applied, and not at the end of the lease: a full
// log may refuse the end of the session, and then its client comes back and still keeps its cache.
//
// A deletion that takes a lock away waits at the barrier too, until no client counts on the lock: each
// holder is told by EventDropLocks and acknowledges it like a drop, or its session is over. An Acquire that
// the log grants in front of such a deletion is answered NotHeld, behind the deletion.
//
// # After a fail-over
//
// New begins the lock-delays in the rows again, in full. Present recreates handles that clients
// present; EpochAcked fails the owners of locks that were not presented; IsReady reports whether
// that is done for all. Other handles are recreated when they are used. A handle is recreated only
// if its node still exists, and never if it was closed in this epoch. Each call that needs a right
// checks the rights of such a handle again, but Present does not. So a client whose rights were
// taken away keeps the lock that it holds, and the ephemeral node that it has open, until it gives
// them back, as it would without a change of masters. If they were lost with the handle, the client
// would not learn of it, since answers to KeepAlives do not report on single handles. An Acquire that
// was granted before the epoch, and whose answer was lost, is answered NotHeld if the lock was freed
// since.
//
// # Commands that the log refuses
//
// A call is answered with the code of the refusal, and its client sends it again. Commands that no
// client would ask for again, Ops proposes again after Config.Retry: Acquires that wait, sweeps,
// ends of lock-delays, FailHandle. An Acquire whose handle has got the lock by another call meanwhile
// waits no longer: its client sends it again.
//
// # Invariants
//
//	I-B2  state  for each proposed Open there is room for one more handle
//	I-B3  state  the calls that are Queued are those with a place in a queue for their lock; their handles are open
//	I-B4  state  no path has a proposed sweep and a proposed Open; an Open that is Held waits for a proposed sweep
//	I-B5  state  no Acquire is parked for a lock that its handle holds; no first waiter is parked for a lock that it could get
//	I-B6  state  until the epoch is over, sessions of which Ops remembers calls, handles, events or cached paths are alive
//	I-B7  state  no client may have in its cache a path that a proposed command touches, except the client of the call
//	I-B8  state  each change at the barrier waits for clients that were told to drop; it, and each change that has passed, holds its paths
package nodeops
