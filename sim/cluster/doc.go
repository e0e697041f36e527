// Package cluster is test support: the machines of a cell, how its replicas are configured,
// and their lives.
//
// A life is the shipped driver and the shipped store, driven by the machine instead of by
// package replica's goroutines. It checks nothing: an Observer is told of all that it does, in
// its order. Package sim/cell has one that hands it to the checkers and to the faults.
//
// Reading order: machines.go, configs.go, replica.go, loop.go, jobs.go.
package cluster
