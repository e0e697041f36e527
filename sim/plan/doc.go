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
//	kinds.go          the names of faults and workloads; added.go: with those of an extension
//	faults.go         which kinds of faults are on, and how often they strike
//	product.go        machines, tunables of the product, leases, sessions
//	calls.go          what client programs do; fence.go: and a resource outside of the cell
//	hostile.go        a client that means harm
//	narrow.go         cells that take little; fleeting.go: snapshots that do not last
//	misfit.go         a replica that is configured otherwise than its cell
//	backups.go        backups on far disks
//	caches.go         what clients keep in caches
//	calm.go           a cell for experiments, without faults
//	tune.go           tunables that are set for all seeds
//	script.go         the faults of a run one by one, where they are not drawn
package plan
