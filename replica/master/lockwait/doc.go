// Package lockwait is pure: which Acquires wait for which lock, and in which order.
//
// An Acquire that may wait joins the queue of its lock, in the memory of the present master, even
// if the lock is free, and is proposed when it can succeed. The queue decides only when an Acquire
// is attempted; the rows (replica/state/lock) decide whether the waiter gets the lock, when its
// Acquire is applied. So a wrong or lost queue costs time and never exclusion. A fail-over loses
// the queues; a new master begins with empty ones, and clients send again.
//
// replica/master/nodeops parks and proposes.
//
// Reading order: queue.go (joining and leaving), next.go (the next attempts), audit.go.
//
// # The order
//
// First come, first served. A new waiter joins behind those that wait, whatever their modes.
// Readers that could share the lock with its present holders still queue behind a waiting writer,
// or the writer would wait for ever. From the front, Next returns as many waiters as can hold the
// lock together: one writer, or all readers up to the next writer. So one Release wakes one writer,
// however many wait.
//
// # The life of a waiter
//
//	Join       parked behind the others, or at the place that was kept for its handle
//	Next       attempted: its Acquire is proposed, with those of other waiters that can hold the lock
//	           beside it. It keeps its place
//	Settle     the call is over, usually since it holds the lock: it leaves. Otherwise it keeps its place
//	           at the front, and is attempted again
//	StepAside  it was cancelled: its place is kept for the handle, which may wait again. A client does so
//	           when its window is full of calls behind the Acquire (client/session). If the turn of that
//	           place comes while the handle does not wait, the place is lost
//	Leave      its handle was closed or poisoned, or its session ended: it leaves, attempted or not. An
//	           attempt may still get the lock; the command that takes the locks of its handle away
//	           stands behind the Acquire in the log
//	Forget     the node was deleted: all leave
//
// A duplicate of the Acquire takes over the place, and is answered instead. A duplicate that comes
// after the waiter has left joins again; when its turn comes, the stored answer of its call is
// repeated, and it leaves.
//
// # Invariants
//
//	I-Q1  state  waiters are counted, and within the limits
//	I-Q2  state  a handle waits in one place, and no queue is empty
//	I-Q3  state  the waiters that are attempted for one lock at once could hold it together
package lockwait
