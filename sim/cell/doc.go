// Package cell is test support: one seed of the simulated cell from beginning to end.
//
// What runs here is what ships: replica/driver and replica/disk/store on simulated
// disks, package client on simulated machines. The product does not know that it is
// simulated. What one seed decides is sim/plan; what client programs do is sim/workload, with
// a hostile client in sim/adversary; machines, configurations and lives of replicas are sim/cluster; what goes wrong is
// sim/faults. None of these knows a checker: this package puts them together with the checkers, and asks those. Nothing below
// imports it.
//
// Reading order:
//
//	cell.go      the cell: machines and checkers, put together; running.go: the
//	             process on a machine
//	process.go   what checkers and faults are told of one life of a replica (sim/cluster);
//	             process_jobs.go: of its disk jobs; nudge.go: early ticks
//	witness.go   what programs, faults and the hostile client are told of the cell
//	run.go       one seed from beginning to end: safety, healing, liveness (L1);
//	             absentees.go: without which replicas and links; growth.go: what may
//	             not grow (L2, sim/check/growth); leaks.go: nodes and handles that stay (S15)
//	script.go    how long a run lasts whose faults are told one by one
//	result.go    what a seed comes to
//	backups.go   one more backup is made at the end, and a cell of the newest (sim/restore)
//	misfit.go    a replica that is configured otherwise than its cell
//	extension.go checkers that programs of other modules add (sim/scenario)
//	crowd.go     a cell with very many sessions that only stay alive (sim/crowd)
//	caching.go   a cell whose clients read again and again; caching_program.go: one of them
//
// Checkers of properties are in sim/check, conformance is in sim/conformance, and reference
// state is in sim/model. What looks at a process itself is still here:
//
//	caches.go    what is told of reads and of caches (S12)
//	look.go      invariants of a replica's memory and rows, at intervals
//	properties.go  what may break, by number
//	sometimes.go rare situations that runs should reach; rare.go: those that take
//	             more than one observation; floors.go: those that are demanded
//
// A property breaks by World.Break with its number; an invariant of the product
// breaks by a panic that the world turns into the same. Both end the run. A breach of
// conformance is reported by World.Diverge.
//
// Many seeds are run by sim/runner.
package cell
