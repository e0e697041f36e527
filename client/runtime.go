package client

import (
	"context"
	"time"
)

// Runtime is the seam between a Client, together with the program around it, and
// the world: goroutines and a network (NewRuntime), or the coroutines of a
// simulator. A program that blocks only through its Client and its Runtime runs
// in both as it is.
//
// One Runtime serves one Client. Replicas of all its cells are addressed by their ids.
type Runtime interface {
	// Now is the present instant. Instants of one Runtime never go back.
	Now() time.Time
	// Send sends a message to a replica, which may or may not arrive, once or
	// more often. It does not wait, and it copies msg or sends it at once.
	Send(replica uint32, msg []byte)
	// Receive registers f for messages that come in, in place of an earlier f. f
	// does not wait; msg is the Runtime's again when f returns.
	Receive(f func(from uint32, msg []byte))
	// AfterFunc calls f once when d has passed, but never within AfterFunc
	// itself. stop prevents the call, if it comes before it; it does not wait
	// for f.
	AfterFunc(d time.Duration, f func()) (stop func())
	// Go calls f in a thread of control of its own. The name is for people.
	Go(name string, f func())
	// Sleep waits for d. It returns early, with the cause, when ctx ends.
	Sleep(ctx context.Context, d time.Duration) error
	// NewSignal returns a signal that has not fired. Signals are waited for
	// only on the Runtime that made them.
	NewSignal() Signal
	// Wait waits until one of the signals has fired, and returns the first one
	// of the list that has; or until ctx ends, and returns -1 and the cause. A
	// signal that has fired goes before a context that has ended.
	Wait(ctx context.Context, signals ...Signal) (int, error)
}

// Signal is something that happens once.
type Signal interface {
	// Fire makes it happen. It does not wait, and firing twice is harmless.
	Fire()
}
