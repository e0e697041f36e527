// Package bench is concurrent: closed-loop load against a running cell, and what it measures.
// Each client makes its next call when the one before has been answered.
//
// Reading order:
//
//	config.go    what is measured, and against which cell
//	workload.go  the workloads: what one operation of each is
//	run.go       one run: every workload with every number of clients
//	load.go      one row: clients in a closed loop, for a time
//	sessions.go  the sessions of the clients of a row
//	held.go      the workload that holds sessions
//	replicas.go  what each replica uses, from /proc and /metrics
//	latency.go   durations, counted by size
//	process.go   processor time of the replicas' processes, from /proc
//	metrics.go   slots and syncs of the master, from /metrics
//	report.go    what a run returns
package bench
