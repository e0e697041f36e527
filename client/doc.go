// Package client is concurrent: it gives Go programs locks, small files and
// key-value rows that are kept by Chubby cells.
//
// A cell is a group of replicas that runs one lock service. A Client keeps one
// session with each cell that it calls, finds the cell's master and follows it
// through fail-overs. It sends a call again until the master has answered or the
// caller's context ends; the cell executes the call at most once. Locks and open
// handles belong to the session, and live for as long as the session does. The
// Client reports what happens to a session by itself as Events.
//
//	c, err := client.Dial(ctx, "1=10.0.0.1:7400,2=10.0.0.2:7400,3=10.0.0.3:7400")
//	defer c.Close(ctx)
//
//	f, err := c.Open(ctx, "/ls/local/leader", client.OpenOptions{Rights: client.Write, Create: client.CreateMay})
//	defer f.Close(ctx)                            // frees the lock too
//	lock, err := f.Acquire(ctx, client.Exclusive) // waits for the lock
//	for err == nil {
//		if err = lock.Err(); err == nil { // why the lock is not held: ErrJeopardy, ErrSessionExpired
//			err = write(data, lock.Sequencer()) // the server checks the sequencer
//		}
//	}
//
// # Calls
//
// Methods that take a context block until the cell has answered or the context
// ends; no other method waits for a cell. All methods of Client, Handle, Lock and
// Events are safe for concurrent use.
//
// When a context ends, the call stops waiting and leaves nothing behind at the
// cell: an Acquire is cancelled there, and the handle of an Open is closed. A
// Release and a Close continue in the background until they are answered.
//
// # Sessions
//
// A session has a lease, which the Client renews with KeepAlives. The Client
// counts the lease conservatively on its own clock, so it never counts on a
// lease that the master may consider over, provided that Config.Rho bounds the rate
// errors of both clocks.
//
//	state       Held    calls   entered with    what to do
//	valid       true    run     EventSafe       continue
//	jeopardy    false   wait    EventJeopardy   stop acting on locks; wait
//	expired     false   fail    EventExpired    make a new Client, acquire and read again
//
// A session enters jeopardy when its lease may be over and the master cannot be
// reached. If the Client reaches a master within Config.Grace, the session was not
// lost, and every handle and lock is still there (EventSafe). Otherwise the session
// is expired: every call that is under way fails with ErrSessionExpired, and the
// Context of every Lock ends. EventFailover reports a new master; handles and locks
// survive a fail-over.
//
// After an expiry the Client fails every later call with ErrSessionExpired, with
// one exception: if the session had no open handle and the outcome of each of its
// calls is known, nothing was lost, and the next call opens a new session (renew.go).
// A program that was idle for longer than the cell keeps an unused session meets this
// case. EventExpired is reported either way, and Event.Renewable tells the two apart. A Client never moves open handles,
// locks or calls of unknown outcome to another session.
//
// A cell may be configured without session leases. There nothing expires, and
// Lock.Held is always false.
//
// # Events
//
// A handle hears of what happens to its node, of the kinds that OpenOptions.Events asks for, in the
// order in which it happened, and after the fact: a program that reads the node then finds the change.
//
//	f, err := c.Open(ctx, "/ls/local/config", client.OpenOptions{Events: client.WantContents | client.WantInvalid})
//	text, _, err := f.Contents(ctx)
//	... // err, then what is to be done with the text
//	for e, err := range f.Events().All(ctx) {
//		if err != nil {
//			return err
//		}
//		text, _, err := f.Contents(ctx)
//		...
//	}
//
// Events come with the answers to KeepAlives, so within a message's time as a rule, and not in
// jeopardy. Several changes in a row may be one event. No change of the kinds that were asked for is
// missed in silence: where events may be missing, because the cell has a new master or the program is
// slow, the handle hears EventReadAgain. A watcher therefore needs no call of its own: it reads once, and
// again after each event, whatever its kind. A deletion is a kind of its own: a handle that asks for
// WantContents alone hears nothing of it, so ask for WantInvalid as well. Behind the EventInvalid of a deletion the
// queue ends, with ErrGone.
//
// # Caches
//
// The Client keeps what it has read, and reads it again without a message (CHU §2.7): the contents and
// metadata of nodes, the names of children, that nothing is there, and open handles. The cell makes no
// change of what a Client may have kept before that Client has dropped it or its lease is over. So a read
// from the cache returns what a read at the master would have returned, and a program need not know of it.
//
//	Handle.Contents, Stat, Names      from the cache while the lease runs, else from the cell
//	Client.Open, Handle.Open          the same, of a node that was opened before, or found absent
//	Handle.ReadDir, Children, and     from the cell, always
//	rows, locks and all that changes
//
// In jeopardy and after a fail-over the cache is empty. What this Client changes itself it drops itself. A
// cell without session leases has no caches.
//
// Four things are to be known. The Stat of Open, Stat and Contents has Lock 0 unless it was asked for with
// Uncached, since caches are not told when a lock changes hands; ReadDir and Children always have it. A read from the cache takes no time: a loop that
// reads until something has changed must pause, or better wait for an event. A Client that has read a file
// delays the next write of it by a message to the Client and back, or by what is left of its lease if it
// is cut off: turn the cache off (Config.Cache) in programs that read once what others write often. And
// Close leaves a handle open at the cell for a short time (Cache.Idle), for the next Open of that node
// with the same rights; not one of an ephemeral node, of a node whose lock it holds, or that asks for events.
// Two Handles share one at the cell only if both were opened to Read alone; Close, Poison and
// SetSequencer of one do not concern the other.
//
// A lock can be kept too: with OpenOptions.KeepLock a Release and the next Acquire by the same handle cost
// no message, unless another handle has asked for the lock in between. The sequencer stays the same: a program
// that does not know what became of a request gives the lock up (Lock.GiveUp).
//
// # Locks and sequencers
//
// Lock.Held compares the local clock with the lease, and sends nothing. The program
// acts after Held has returned, and may be paused in between for longer than the
// lease. Held alone therefore does not exclude a second writer. A resource that must
// never be written by two lock holders has to check a sequencer: pass
// Lock.Sequencer with each request, reads too, and let the server reject a sequencer
// whose lock generation is lower than the highest that it has seen, on reads and on
// writes (recipe.Fence does). A check of writes alone loses updates: the next holder may have
// read before the late write comes. Handle.CheckSequencer says what is true at the instant of
// the cell's answer, and the lock may go before the server has acted on it. OpenOptions.LockDelay protects resources that check no sequencers, within
// the limits of a timeout.
//
// # Errors
//
// Every call returns nil or an *Error; test it with errors.Is.
//
//	nil                 the call was executed, once
//	ErrOutcomeUnknown   the call may have been executed, or may still be; read the
//	                    state before writing again
//	ErrWithdrawn        an Acquire was taken back before its answer came; it holds nothing
//	any other error     the call has had no lasting effect, and never will
//
// ErrOutcomeUnknown accompanies the reason: the context's error, ErrSessionExpired
// or ErrClosed. If the Client has no other call under way (calls of other goroutines
// count), any further call that the cell answers settles the outcome, a Get for
// instance: what that one finds is final. What the cache answers is none. docs/errors.md has
// the cause of each error, and what to do.
//
// # Runtime
//
// The protocol is in package session, which is pure. This package adds blocking
// calls on top, over a Runtime: goroutines and gRPC for programs (Dial), goroutines and a
// transport that the program supplies (NewRuntime and New), coroutines and a virtual clock in
// the simulator. A program that blocks only through its Client and its Runtime runs unchanged
// in all of them. Its time-outs come from Runtime.WithTimeout, since those of package context
// count the time of the real machine:
//
//	ctx, cancel := c.Runtime().WithTimeout(ctx, 10*time.Second)
//	defer cancel()
//
// # Reading order
//
//   - runtime.go: what a Client needs from its environment
//   - client.go, cells.go, names.go: the Client, its cells, the shared types
//   - kv.go: calls on rows
//   - open.go, handle.go, node.go: calls on files and directories
//   - acquire.go, lock.go, held.go, sequencer.go: locks
//   - caching.go, hit.go, kept.go: what is read without a call, and handles that stay open
//   - event.go, events.go, hub.go, watch.go: events of sessions and of handles
//   - errors.go, fault.go: errors
//   - conn.go, pump.go, renew.go: how a session machine is driven and replaced
//   - callid.go: the identity of a call at the cell
//   - goroutines.go, signal.go: the Runtime of programs
//   - dial.go, share.go, target.go, secrets.go: a Client over the network
//
// What programs build from these, elections for instance, is in package recipe. Package chubbytest runs
// a cell inside the test of a program. docs/from-etcd.md is for those that know etcd's clientv3.
package client
