// Package cluster is test support: lives of replicas on simulated machines.
//
// A life is the shipped driver and the shipped store, driven by the machine instead of by
// package replica's goroutines. It checks nothing: an Observer is told of all that it does, in
// its order. Package sim/cell has one that hands it to the checkers and to the faults.
//
// Reading order: replica.go, jobs.go.
package cluster
