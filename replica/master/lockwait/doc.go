// Package lockwait is pure: who waits for which lock, in which order.
//
// An Acquire that meets a held or delayed lock is parked in the memory of the
// present master and proposed when it can succeed. The queue decides only when to
// try: whether a waiter gets the lock is decided by the rows (replica/state/lock) when its
// Acquire is applied. So a wrong or lost queue costs time and never exclusion, and a
// new master begins with an empty one: clients send again.
//
// Who parks and proposes is replica/master/nodeops.
//
// Reading order: queue.go (joining and leaving), next.go (whose turn it is),
// audit.go.
//
// # The order
//
// First come, first served. Whoever finds somebody waiting joins behind, whatever
// the modes: readers who could share with the present ones queue behind a waiting
// writer, or he would wait for ever. From the front, Next hands out as many as fit
// together: one writer, or all readers up to the next writer. So one release wakes
// one writer, however many wait.
//
// # The life of a waiter
//
//	Join     parked behind the others
//	Next     tried: its Acquire is proposed; its place is kept, and those that fit are tried with it
//	Settle   held: it leaves. Not held: it keeps its place at the front, and is tried again
//	Leave    it gave up, or its handle was closed or poisoned, or its session ended: it
//	         leaves, tried or not. A tried one may yet be granted the lock; the command that
//	         takes its handle's holds away stands behind the Acquire in the log
//	Forget   the node was deleted: all leave
//
// A copy of the Acquire that comes again keeps the place and is the one to be
// answered. A copy that comes after the waiter left joins again; when its turn comes,
// the stored answer of its call is repeated, and it leaves.
//
// # Invariants
//
//	I-Q1  state  waiters are counted, and within the limits
//	I-Q2  state  a handle waits in one place, and a line that is there has waiters
//	I-Q3  state  those who are tried for one lock at once could hold it together
package lockwait
