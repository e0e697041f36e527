// Package resource is test support: a storage server outside of the cell, to which clients
// write under a lock of the cell.
//
// It decides each request by the sequencer that comes with it, in one of several ways (sim/plan,
// FenceMode), and logs its decisions. Package sim/workload runs it on a machine of its own; package
// sim/cell checks the log.
//
// Reading order: message.go, resource.go.
package resource
