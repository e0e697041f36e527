// Package cell is test support: one seed of the simulated cell from beginning to end.
//
// What runs here is what ships: replica/driver and replica/disk/store on simulated disks, package
// client on simulated machines. The product does not know that it is simulated. What one seed
// decides is sim/plan; what client programs do is sim/workload, with a hostile client in
// sim/adversary; machines, configurations and lives of replicas are sim/cluster; faults are
// sim/faults. None of these knows a checker. This package connects them to the checkers, and none
// of them imports this package.
//
// Reading order:
//
//	cell.go      the cell: machines and checkers, put together; running.go: the
//	             process on a machine
//	process.go   reports one life of a replica (sim/cluster) to checkers and faults;
//	             process_jobs.go: of its disk jobs; nudge.go: early ticks
//	witness.go   what programs, faults and the hostile client may learn of the cell
//	run.go       one seed from beginning to end: safety, healing, liveness (L1); unended.go: where programs wait;
//	             absentees.go: replicas and links that liveness does without; growth.go: what may
//	             not grow (L2, sim/check/growth); leaks.go: nodes and handles that stay (S15)
//	script.go    how long a run lasts if a script lists its faults
//	result.go    the result of a seed
//	backups.go   the end of a run: one more backup, and a cell made of the newest (sim/restore)
//	misfit.go    a replica whose configuration differs from that of its cell
//	extension.go checkers that programs of other modules add (sim/scenario)
//	crowd.go     a cell with very many sessions that only stay alive (sim/crowd)
//	caching.go   a cell whose clients read again and again; caching_program.go: one of them
//
// Checkers of properties are in sim/check, conformance is in sim/conformance, and reference state
// is in sim/model. Checks that need this package are here:
//
//	caches.go    passes reads, and messages about caches, to the checkers (S12)
//	look.go      invariants of a replica's memory and rows, at intervals
//	differ.go    the rows that two replicas do not share, for the report of S6
//	properties.go  the properties, by number
//	sometimes.go rare situations that runs should reach; rare.go: those that take
//	             more than one observation; floors.go: those that many seeds together must reach
//
// A checker reports a broken property with World.Break and its number. A broken invariant of the
// product panics, and the world turns the panic into the same report. Both end the run.
// World.Diverge reports a breach of conformance.
//
// Package sim/runner runs many seeds.
package cell
