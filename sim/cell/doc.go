// Package cell is test support: a whole cell of the product in the simulated
// world, with its clients and its faults.
//
// What runs here is what ships: replica/driver and replica/disk/store on simulated
// disks, package client on simulated machines. The product does not know that it is
// simulated.
//
// What one seed decides is sim/plan. Reading order:
//
//	cell.go      the cell: machines, phases of faults, healing
//	process.go   one life of a replica: the shipped driver and store; process_jobs.go:
//	             its disk jobs
//	run.go       one seed from beginning to end: safety, healing, liveness (L1);
//	             absentees.go: without which replicas and links; bounds.go: what may
//	             not grow (L2); waits.go: how long clients wait after healing
//	result.go    what a seed comes to; describe.go: a plan in words
//	extension.go what programs of other modules add (sim/scenario): faults, workloads,
//	             checkers that listen to events (sim/event)
//
// Workloads:
//
//	load.go      what clients do, and the record of it; program.go: one thread of a
//	             client, and what it does to rows; nodes.go, pages.go: to files; locks.go:
//	             to locks; ready.go: what a client says of itself before and after
//	fence.go     a resource outside of the cell, which checks sequencers or does not:
//	             fence_resource.go decides, fence_server.go is its machine,
//	             fence_program.go its clients, fence_line.go their messages
//	rights.go    programs that use nodes under ACL files that change; files_guest.go:
//	             what other clients do to nodes
//	guest.go     a hostile client; guest_manners.go: what any client may do,
//	             guest_tricks.go, guest_numbers.go, guest_rare.go: what no client may do
//	crowd.go     very many sessions that only stay alive: crowd_clients.go is their
//	             machine, crowd_wheel.go its timers, crowd_bundle.go what it sends
//	storm.go     very many Acquires of one lock; churn.go: sessions that come and go;
//	             big.go: the largest files
//	rest.go      clients that do nothing for a while; slim.go: clients with few calls
//	             under way; narrow.go: cells with small tables; fleeting.go: snapshots
//	             that do not last; misfit.go: a replica that is configured otherwise
//	             than its cell
//	backups.go   backups at far places, which fail; reborn.go: the cell that is made of
//	             the newest backup when a run is over; reborn_former.go: what it must
//	             not have of the old cell
//
// Faults:
//
//	faults.go    fault kinds, each on or off by seed; moments.go: what some of them
//	             wait for; nudge.go: early ticks
//	faults_network.go, faults_echo.go, faults_late.go: messages that are lost, repeated,
//	             and that outlive what their sender had not synced
//	faults_clock.go, faults_process.go, faults_source.go: clocks, restarts and pauses,
//	             sources of snapshots
//	faults_session.go: faults that are aimed at the ends of sessions
//	faults_disk.go, faults_late_copy.go, faults_snapshot.go: calls of disks that fail,
//	             or come when they were given up
//	faults_rot.go, faults_misdirect.go, faults_forget.go, faults_stray.go: bytes that
//	             rot, go astray, are old or missing; a row that changes in memory. Which
//	             disks may be damaged is decided by sim/damage
//
// Checkers of properties are in sim/check, conformance is in sim/conformance, and
// reference state is in sim/model. What needs the clients' own view is still here:
//
//	histories.go S4 of rows; files.go: of files; holdings.go, holdings_check.go: of locks
//	watch_clients.go: S9, S11, S15; watch_promises.go: what masters promise against what
//	             clients count on (S11); watch_wire.go: between a client and its link
//	watch_fence.go: S10; watch_leaks.go: ephemeral nodes that no session has open (S15)
//	watch_chunks.go: how much of a snapshot is synced at once (L2); watch_shares.go:
//	             shares of the log (L3)
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
