package client

import (
	"context"
	"time"
)

// Runtime is a Client's environment: clock, timers, threads of control and transport. For programs,
// NewRuntime returns a Runtime of goroutines; the simulator provides one of coroutines and virtual
// time. A program that blocks only through its Client and its Runtime runs unchanged on both.
//
// One Runtime serves one Client, with all its cells: an address names the cell and the replica.
type Runtime interface {
	// Now returns the present instant. Instants of one Runtime never go back.
	Now() time.Time
	// Send sends a message to a replica. It does not block. The message may be lost, delayed or
	// duplicated. The Runtime owns msg from then on: the caller neither reads nor changes it.
	Send(to Replica, msg []byte)
	// Receive registers f as the handler of inbound messages, replacing an earlier one. f does
	// not block and does not keep msg.
	Receive(f func(from Replica, msg []byte))
	// OnUnreachable registers f as the handler of the transport's hints that a replica gets no
	// messages now, replacing an earlier one. Such a replica's process has ended, or the connection
	// to it broke, so messages that it has not answered are probably lost. Hints may be wrong or
	// late, or may never come: they only save the time until a missing answer is noticed. f does
	// not block.
	OnUnreachable(f func(replica Replica))
	// AfterFunc calls f once after d has passed, and never before AfterFunc has returned. stop
	// prevents the call if it has not begun; it does not wait for f.
	AfterFunc(d time.Duration, f func()) (stop func())
	// Go runs f in a new thread of control. name is for logs and traces.
	Go(name string, f func())
	// Sleep blocks for d. If ctx ends first, it returns the cause.
	Sleep(ctx context.Context, d time.Duration) error
	// WithTimeout returns a context derived from ctx that ends, at the latest, when d has passed by
	// Now, with the error context.DeadlineExceeded; it ends at once if d is not positive. cancel
	// ends it earlier with context.Canceled, and frees its resources; always call it. Contexts
	// derived from the result end with it, and context.Cause of each is context.DeadlineExceeded.
	// The functions of package context count the time of the real machine: a program that uses
	// these methods instead runs on every Runtime.
	WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc)
	// WithDeadline is like WithTimeout for a time-out that ends at the instant t by Now.
	WithDeadline(ctx context.Context, t time.Time) (context.Context, context.CancelFunc)
	// NewSignal returns a signal that has not fired. A signal may be waited for only on the
	// Runtime that made it.
	NewSignal() Signal
	// Wait blocks until one of the signals has fired and returns the index of the first one in
	// the list that has. If ctx ends first it returns -1 and the cause. A fired signal takes
	// precedence over an ended context.
	Wait(ctx context.Context, signals ...Signal) (int, error)
}

// Signal is an event that happens once.
type Signal interface {
	// Fire makes the event happen. It does not block. Firing again has no effect.
	Fire()
}
