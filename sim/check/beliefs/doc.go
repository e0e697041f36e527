// Package beliefs is test support: what clients take for true, against what the cell does and
// has promised.
//
// A client believes that its session is alive, that it holds a lock, that a node which it has
// open is there, each by its own clock. Checker compares that, at instants of true time, with
// what masters do: they end no session, sweep no node and give no lock away on which a client
// counts (S9, S11, S15). Promises compares until when a client counts on its session with
// the lease that the present master has set (S11). A Wire stands between one client and its
// link, and hands what it sees to sim/conformance/clients as well.
//
// Fencing checks a resource outside of the cell, which refuses whom it takes for an old
// holder of a lock (S10).
//
// Reading order: checker.go, wire.go, promises.go, fencing.go.
package beliefs
