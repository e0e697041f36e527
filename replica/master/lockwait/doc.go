// Package lockwait is pure: which Acquires wait for which lock, and in which order.
//
// An Acquire that may wait joins the queue of its lock, in the memory of the present master,
// also where the lock is free, and is proposed when it can succeed. The queue decides only when to
// attempt: whether a waiter gets the lock is decided by the rows (replica/state/lock) when
// its Acquire is applied. So a wrong or lost queue costs time and never exclusion. A
// fail-over loses the queues; a new master begins with empty ones, and clients send again.
//
// replica/master/nodeops parks and proposes.
//
// Reading order: queue.go (joining and leaving), next.go (the next attempts), audit.go.
//
// # The order
//
// First come, first served. A new waiter joins behind those that wait, whatever
// the modes: readers who could share with the present ones queue behind a waiting
// writer, or the writer would wait for ever. From the front, Next hands out as many as fit
// together: one writer, or all readers up to the next writer. So one release wakes
// one writer, however many wait.
//
// # The life of a waiter
//
//	Join       parked behind the others, or at the place that was kept for its handle
//	Next       attempted: its Acquire is proposed; its place is kept, and those that fit are
//	           attempted with it
//	Settle     holds: it leaves. Does not hold: it keeps its place at the front, and is attempted again
//	StepAside  it gave up: its place is kept for the handle, which may wait again, as a client does whose
//	           window is full of calls behind the Acquire (client/session). When it is the turn of that
//	           place, and the handle does not wait, the place is lost
//	Leave      its handle was closed or poisoned, or its session ended: it
//	           leaves, attempted or not. An attempt may yet be granted the lock; the command
//	           that takes its handle's holds away stands behind the Acquire in the log
//	Forget     the node was deleted: all leave
//
// A duplicate of the Acquire keeps the place and is the one to be answered. A duplicate that
// comes after the waiter left joins again; when its turn comes, the stored answer of its
// call is repeated, and it leaves.
//
// # Invariants
//
//	I-Q1  state  waiters are counted, and within the limits
//	I-Q2  state  a handle waits in one place, and a queue that is there has waiters
//	I-Q3  state  those that are attempted for one lock at once could hold it together
package lockwait
