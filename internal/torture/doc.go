// Package torture is concurrent: it runs the replicas of a cell as processes, calls them as
// clients do, makes processes, disks and connections fail, and judges what the clients saw
// with the checks of the simulator. docs/torture.md says what for.
//
// Reading order:
//
//	config.go    what a run is built from
//	schedule.go  which faults there are, and when: pure, from a seed
//	process.go   a replica as a process; proxy.go: a connection that can be cut
//	cell.go      all replicas and their links; inject.go: faults are carried out; crowd.go: many reads at once
//	session.go   a client that lives through faults
//	history.go   what clients asked and were told; pool.go: the histories in use
//	rows.go      load, and what must be true of it; and so files.go, watch.go, and locks.go
//	             with resource.go
//	applied.go   what replicas applied: the order that histories are compared with
//	property.go  what is checked
//	run.go       a run; judge.go: its histories and locks; report.go: what it found
package torture
