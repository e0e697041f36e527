// Package scenario is test support: what can be added to the simulated cell.
//
// The cell of package sim/cell comes with kinds of faults, workloads and checkers of its
// own. An Extension adds more, from any module: they take part in the swarm, in the
// liveness phase, in --out, replay and verify like those that are built in, since both go
// through the interfaces of this package.
//
//	Fault     does harm once at each call; the swarm says when
//	Workload  makes one step of a client program at each call, on package client
//	Checker   listens to the events of one run and says what is wrong
//
// Everything here is deterministic: choices come from the Draw that is handed in, time
// from the world, and no goroutine is started. A run that breaks this gives another trace
// hash for the same seed, and `verify` finds it.
//
// Reading order: fault.go, workload.go, checker.go, extension.go.
package scenario
