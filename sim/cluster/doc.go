// Package cluster is test support: the machines of a cell, and the configurations and lives of its
// replicas.
//
// A life is the shipped driver and the shipped store, driven by the machine instead of by package
// replica's goroutines. It checks nothing. An Observer is told of everything that a life does, in
// order; the Observer of package sim/cell passes that on to the checkers and to the faults.
//
// Reading order: machines.go, configs.go, replica.go, loop.go, jobs.go.
package cluster
