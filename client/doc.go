// Package client is concurrent: it gives Go programs the locks, small files and key-value rows of
// Chubby cells.
//
// A cell is a group of replicas that runs one lock service. A Client keeps one session with each
// cell that it calls. It finds the cell's master and follows it through fail-overs. It resends a
// call until the master answers or the caller's context ends; the cell executes the call at most
// once. Locks and open handles belong to the session, and live as long as the session does. The
// Client reports changes of a session as Events.
//
//	c, err := client.Dial(ctx, "1=10.0.0.1:7400,2=10.0.0.2:7400,3=10.0.0.3:7400") // or a cell file, or a name in DNS
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
// A method that takes a context blocks until the cell has answered or the context ends. No other
// method waits for a cell. All methods of Client, Handle, Lock and Events are safe for concurrent
// use.
//
// When a context ends, the call stops waiting and leaves nothing behind at the cell: the Client
// cancels an Acquire there, and closes the handle of an Open. A Release or a Close continues in the
// background until the cell has answered it.
//
// # Cells
//
// A name begins with /ls and a cell. The cell that Dial is given is /ls/local, and /ls/NAME if it has
// a name. WithCell adds other cells. The Client keeps a session of its own with each cell, and opens it
// with the first call to a name there:
//
//	c, err := client.Dial(ctx, "near.json", client.WithCell("far", "far.json"))
//	f, err := c.Open(ctx, "/ls/far/leader", client.OpenOptions{})
//
// Leases, locks, caches and fail-overs of one cell do not depend on those of another one, and
// Event.Cell tells which session an Event is of. Ready, Status, LeaseLeft and the calls on rows are
// about the local cell.
//
// # Sessions
//
// A session has a lease, which the Client renews with KeepAlives. The Client measures the lease
// conservatively on its own clock. It never relies on a lease that the master may consider over,
// provided that Config.Rho bounds the rate errors of both clocks.
//
//	state       Held    calls   entered with    what to do
//	valid       true    run     EventSafe       continue
//	jeopardy    false   wait    EventJeopardy   stop acting on locks; wait
//	expired     false   fail    EventExpired    make a new Client, acquire and read again
//
// A session enters jeopardy when its lease may be over and the Client cannot reach the master. If
// the Client reaches a master within Config.Grace, the session is alive, with all its handles and
// locks (EventSafe). Otherwise the session has expired: every call under way fails with
// ErrSessionExpired, and the Context of every Lock ends. EventFailover reports a new master;
// handles and locks survive a fail-over.
//
// After an expiry every later call fails with ErrSessionExpired, with one exception. If the session
// had no open handle and the outcome of each of its calls is known, nothing was lost, and the next
// call opens a new session (renew.go). A read that timed out does not count, nor does an Open that timed
// out and that the cell has answered meanwhile. This happens to a program that was idle for longer than the
// cell keeps an unused session. The Client reports EventExpired in both cases; Event.Renewable
// tells them apart. A Client never moves open handles, locks or calls of unknown outcome to another
// session.
//
// A cell may be configured without session leases. Nothing expires there, and Lock.Held is
// always false.
//
// # Events
//
// A handle receives events about its node, of the kinds set in OpenOptions.Events, in the order in
// which the changes happened. An event comes after the change: a program that then reads the node
// finds it.
//
//	f, err := c.Open(ctx, "/ls/local/config", client.OpenOptions{Events: client.WantContents | client.WantInvalid})
//	text, _, err := f.Contents(ctx)
//	... // err, then use the text
//	for e, err := range f.Events().All(ctx) {
//		if err != nil {
//			return err
//		}
//		text, _, err := f.Contents(ctx)
//		...
//	}
//
// The answers to KeepAlives carry the events. An event therefore usually arrives within one message
// delay, and none arrives in jeopardy. One event may stand for several consecutive changes. A
// change of a requested kind never goes unreported. If events may be missing, because the cell has
// a new master or the program is slow, the handle receives EventReadAgain. A watcher therefore
// needs no polling: it reads once, and again after each event, whatever its kind. A deletion has a
// kind of its own: a handle that requests only WantContents does not hear of it, so request
// WantInvalid as well. After the EventInvalid of a deletion the queue ends, with ErrGone.
//
// # Caches
//
// The Client caches what it has read, and reads it again without a message (CHU §2.7): the contents
// and metadata of nodes, the names of children, the absence of nodes, and open handles. The cell
// changes nothing that a Client may have cached before that Client has dropped it or its lease is
// over. A read from the cache therefore returns what a read at the master would have returned, and
// a program need not know of the cache.
//
//	Handle.Contents, Stat, Names      from the cache while the lease runs, else from the cell
//	Client.Open of a node             the same, if a handle on it with the same rights is kept: see below
//	Client.Open of an absent node     the same, with CreateNever, if an Open by the full path found none
//	Handle.Open                       as Client.Open, while something of the directory itself is cached
//	Handle.ReadDir, Children, and     from the cell, always
//	rows, locks and all that changes
//
// An Open with CreateMust or with Events, and every call by a handle with a sequencer attached, asks the
// cell. So does each Open by the handle of a directory that finds no node, unless Client.Open found none
// there before: a program that looks again and again for a node that may be absent passes the full path.
//
// In jeopardy and after a fail-over the cache is empty. A Client drops from its own cache what it
// changes. A cell without session leases has no caches.
//
// Four points matter to programs:
//
//   - The Stat of Open, Stat and Contents has Lock 0 unless the call was made with Uncached, because
//     caches are not told when a lock changes hands. ReadDir and Children always return it.
//   - A read from the cache takes no time. A loop that reads until something changes must pause, or
//     better wait for an event.
//   - A Client that has read a file delays the next write of it by a message to the Client and back, or
//     by the rest of the Client's lease if the Client is cut off. Turn the cache off (Config.Cache) in
//     programs that read once what other programs write often.
//   - Close leaves a handle open at the cell for a short time (Cache.Idle), for the next Open of that
//     node with the same rights. It does not do so for an ephemeral node, for a node whose lock the
//     handle holds, or for a handle that asks for events. Two Handles share one handle at the cell only
//     if both were opened with Read alone; Close, Poison and SetSequencer of one do not affect the other.
//
// A lock can be kept too. With OpenOptions.KeepLock, a Release and the next Acquire by the same
// handle cost no message, unless another handle has asked for the lock in between. The sequencer
// stays the same. A program that does not know the outcome of a request to a resource must
// therefore give the lock up (Lock.GiveUp).
//
// # Locks and sequencers
//
// Lock.Held compares the local clock with the lease, and sends nothing. The program acts after Held
// has returned, and may be paused in between for longer than the lease. Held alone therefore does
// not exclude a second writer.
//
// A resource that must never be written by two lock holders has to check a sequencer. Pass
// Lock.Sequencer with each request, including reads. The server rejects, on reads and on writes, a
// sequencer whose lock generation is lower than the highest that it has seen (recipe.Fence does
// this). Checking only writes loses updates: the next holder may have read before the late write
// arrives. Handle.CheckSequencer tells what is true at the instant of the cell's answer; the lock
// may be lost before the server has acted on it. OpenOptions.LockDelay protects resources that
// check no sequencers, within the limits of a timeout.
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
// An ErrOutcomeUnknown also is the reason: the context's error, ErrSessionExpired or ErrClosed. If
// the Client has no other call under way (calls of other goroutines count), the next call that the
// cell answers, for instance a Get, settles the outcome: the state that it finds is final. An
// answer from the cache does not settle it. docs/errors.md lists the cause of each error, and what
// to do.
//
// # Runtime
//
// The protocol is in package session, which is pure. This package adds blocking calls on top of it,
// over a Runtime. For programs that is goroutines and gRPC (Dial), or goroutines and a transport
// that the program supplies (NewRuntime and New); in the simulator it is coroutines and a virtual
// clock. A program that blocks only through its Client and its Runtime runs unchanged on all of
// them. Such a program takes its time-outs from Runtime.WithTimeout, because those of package
// context count the time of the real machine:
//
//	ctx, cancel := c.Runtime().WithTimeout(ctx, 10*time.Second)
//	defer cancel()
//
// # Reading order
//
//   - runtime.go, replica.go: what a Client needs from its environment, and the address of a replica
//   - client.go, cells.go, names.go: the Client, its cells, the shared types
//   - kv.go: calls on rows
//   - open.go, handle.go, node.go: calls on files and directories
//   - acquire.go, lock.go, held.go, spare.go, sequencer.go: locks
//   - caching.go, hit.go, kept.go: reads without a call, and handles that stay open
//   - event.go, events.go, hub.go, watch.go: events of sessions and of handles
//   - errors.go, fault.go: errors
//   - conn.go, pump.go, renew.go: how the Client drives and replaces a session machine
//   - callid.go: the identity of a call at the cell
//   - goroutines.go, signal.go: the Runtime of programs
//   - dial.go, dial_options.go, dial_cells.go, reach.go, share.go, target.go, secrets.go: a Client over
//     the network
//
// Package recipe builds on this package: elections, for instance. Package chubbytest runs a cell
// inside the test of a program. docs/from-etcd.md is for readers who know etcd's clientv3.
package client
