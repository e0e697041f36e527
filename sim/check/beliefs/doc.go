// Package beliefs is test support: it compares what clients believe with what the cell does
// and has promised.
//
// A client believes that its session is alive, that it holds a lock, and that a node which it has
// open exists, each by its own clock. Checker compares these beliefs, at instants of true time,
// with what masters do: they must not end a session, sweep a node or give away a lock on which a
// client counts (S9, S11, S15). Promises compares how long a client counts on its session with
// the lease that the present master has set (S11). A Wire stands between one client and its
// network link, and reports what it sees to sim/conformance/clients as well.
//
// Fencing checks a resource outside the cell, which refuses a request whose sequencer is older
// than one that it has seen (S10).
//
// Reading order: checker.go, wire.go, promises.go, fencing.go.
package beliefs
