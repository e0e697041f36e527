// Package client is concurrent: the blocking client of a cell, for programs.
//
// A Client is one session. Its calls wait until the cell has answered or their
// context ends, and each says exactly what it knows: a nil error, ErrNotFound and
// ErrConflict are answers; ErrOutcomeUnknown means that the call may have been
// executed; any other error means that it was not and never will be. A call is
// executed at most once, however often the network repeats it and however often
// the client sends it again.
//
// All protocol is in package session, which is pure. This package turns its doors
// into calls that block, over a Runtime: goroutines and a transport in programs
// (NewRuntime), coroutines and a virtual clock in the simulator. So a program
// written against a Client and its Runtime runs in both as it is, provided it
// blocks only through them.
//
// Reading order: runtime.go (the seam), client.go, kv.go (the calls), errors.go,
// pump.go (how the machine is driven), trail.go (what the cell knows a call by),
// goroutines.go and signal.go (the Runtime of programs).
package client
