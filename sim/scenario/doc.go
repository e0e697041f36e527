// Package scenario is test support: the interfaces of what can be added to the simulated cell.
//
// The cell of package sim/cell has kinds of faults, workloads and checkers of its own. An Extension
// adds more, from any module. They take part in the swarm, in the liveness phase, and in --out,
// replay and verify exactly like the built-in ones, since both use the interfaces of this package.
//
//	Fault     does harm once in each call; the swarm decides when
//	Workload  makes one step of a client program in each call, on package client
//	Checker   receives the events of one run and reports what is wrong
//
// Everything here must be deterministic: choices come from the given Draw, time comes from the
// world, and no goroutine is started. A run that breaks this rule has another trace hash for the
// same seed, and `verify` finds it.
//
// Reading order: fault.go, workload.go, role.go, checker.go, extension.go.
package scenario
