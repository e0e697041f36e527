// Package plan is test support: what one seed of the simulated cell decides before
// anything runs.
//
// Options are what a user asks for; New draws everything else from the seed, each fact by
// draws of its own, so that asking for one does not change the others. A Plan is all that a
// run depends on besides the code: equal plans give equal runs.
//
// Reading order:
//
//	plan.go           Options, Plan, New
//	kinds.go          the names of faults and workloads; added.go: workloads of an extension
//	faults.go         which kinds of faults are on, and how often they strike
//	product.go        machines, tunables of the product, leases, sessions
//	calls.go          what client programs do; fence.go: and a resource outside of the cell
//	hostile.go        a hostile client
//	narrow.go         cells with low limits; fleeting.go: short-lived snapshots
//	misfit.go         a replica whose configuration differs from that of its cell
//	backups.go        backups on far disks
//	caches.go         the caches of clients; watch.go: which handles ask for events
//	calm.go           a cell for experiments, without faults
//	tune.go           tunables that a user sets for all seeds
//	script.go         a list of the faults of a run, which then are not drawn
package plan
