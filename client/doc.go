// Package client is concurrent: the blocking client of cells, for programs.
//
//	c := client.New(rt, client.Config{Replicas: ids, Draw: client.Entropy})
//	f, err := c.Open(ctx, "/ls/local/leader", client.OpenOptions{Rights: client.Write, Create: client.CreateMay})
//	lock, err := f.Acquire(ctx, client.Exclusive)
//	... lock.Held(), lock.Sequencer() ...
//	err = lock.Release(ctx)
//
// A Client has one session with each cell that it speaks to. Its calls wait until
// the cell has answered or their context ends, and each says exactly what it knows:
// a nil error is an answer, and so is any error without ErrOutcomeUnknown, which
// means that the call changed nothing and never will; ErrOutcomeUnknown means that
// it may have been executed. A call is executed at most once, however often the
// network repeats it and however often the client sends it again.
//
// # What a program may believe
//
// While the session's lease runs, by the program's own clock, what the session holds
// is its own: Lock.Held says so. When it may be over, the session is in jeopardy:
// nothing is held for certain, calls wait, and EventJeopardy is told. Either the cell
// is reached in time (EventSafe), and nothing was lost, or the session is given up
// (EventExpired): then every call fails with ErrSessionExpired, for ever, and every
// Lock's Context ends. In a cell whose sessions have no leases nothing is ever Held.
//
// A Client goes on under another session in one case only: the last one came to its
// end, as that of a program does which was idle for a minute, when it had no handle
// open, and the outcome of all its calls was known. Nobody lost anything then, and the next
// call opens a session; EventExpired is told all the same (renew.go).
//
// Held is asked and answered at one instant; the program acts later. What must never
// be done by two is therefore done by somebody who checks sequencers, or refuses what
// comes with an older one than he has seen.
//
// # What goes on behind the caller's back
//
// A context that ends ends the waiting, and leaves nothing at the cell: an Acquire
// that is given up is cancelled there, an Open's handle is closed, a Release and a
// Close go on until they are answered.
//
// # One code, two worlds
//
// All protocol is in package session, which is pure. This package turns its doors
// into calls that block, over a Runtime: goroutines and a transport in programs
// (NewRuntime), coroutines and a virtual clock in the simulator. So a program
// written against a Client and its Runtime runs in both as it is, provided it
// blocks only through them.
//
// Reading order: runtime.go (the seam), client.go, cells.go (names), kv.go (calls on
// rows); open.go, handle.go, node.go (calls on nodes), acquire.go, lock.go,
// sequencer.go; event.go, errors.go; conn.go, pump.go and renew.go (how a
// machine is driven), trail.go (what the cell knows a call by), goroutines.go and signal.go (the Runtime
// of programs).
package client
