// Package cell is test support: a whole cell of the product in the simulated
// world, with its clients, its faults and its checkers.
//
// What runs here is what ships: replica/driver and replica/disk/store on simulated
// disks, package client on simulated machines. Nothing of the product knows.
//
// What one seed decides is package plan. Reading order:
//
//	misfit.go    a replica that is configured otherwise than its cell
//	cell.go      the cell: machines, phases of faults, healing
//	process.go   one life of a replica: the shipped host and store
//	load.go      what clients do, and the books of that; program.go: one thread of one,
//	             and what it does to rows; nodes.go, pages.go: to files; locks.go: to locks;
//	             files.go: the history of files; holdings.go, holdings_check.go: that
//	             of locks; ready.go: what a client says of itself before and after
//	fence.go     a resource outside of the cell, which checks sequencers or does not:
//	             fence_resource.go decides, fence_server.go is its machine,
//	             fence_program.go its clients, fence_line.go what they say
//	rights.go    programs that use nodes under ACL files that change; files_guest.go:
//	             what others do to nodes; guest.go: a hostile client; guest_manners.go:
//	             what any client may do, guest_tricks.go, guest_numbers.go, guest_rare.go:
//	             what no client may do
//	backups.go   backups on far disks, which fail, and what is in them; reborn.go: the
//	             cell that is made of the newest when a run is over; reborn_former.go:
//	             what it must not have of the old one
//	crowd.go     very many sessions that only stay alive: crowd_clients.go is their
//	             machine, crowd_wheel.go its timers, crowd_bundle.go what it sends
//	storm.go     very many who wait for one lock; churn.go: sessions that come and go;
//	             big.go: files as large as they may be; narrow.go: cells that take
//	             little; slim.go: clients that take little; rest.go: clients that do
//	             nothing for a while; fleeting.go: snapshots that do not last
//	extension.go what programs add from outside (package scenario): faults, workloads,
//	             checkers that listen to events (package event)
//	faults.go    families of faults, each on or off by seed; faults_*.go: the strikes;
//	             moments.go: what some of them wait for;
//	             faults_session.go aims them at the ends of sessions; faults_forget.go
//	             is disks that have what is old, or lack files; faults_late.go is
//	             messages that outlive what their sender had not synced, faults_late_copy.go
//	             writes that come when they were given up
//	atlas.go     which disks may be damaged; registers.go: whether a register is lost
//	properties.go  what may break, by number
//	watch.go     the omniscient checks: watch_disks.go, watch_resumed.go, votes.go: S1, S2, S3;
//	             watch_calls.go: S5; watch_rows.go: S6; watch_lease.go: S7;
//	             watch_locks.go, watch_queue.go: S8; watch_fence.go: S10;
//	             watch_clients.go: S9, S11, S15; watch_rights.go, watch_quota.go: S16, from the log;
//	             watch_handles.go, watch_handles_answers.go, watch_intents.go: S14, S16,
//	             from the wire; watch_given_up.go: what is final (S4);
//	             watch_told.go: what answers owe (S4);
//	             watch_room.go: whether there was none (S14); watch_census.go: how many
//	             sessions there are (L2, S14); watch_rot.go: S17;
//	             watch_guards.go: calls are done for whom they were meant (S2);
//	             watch_wire.go: between a client and its line;
//	             watch_seat.go, watch_sessions.go: what a master promises to sessions,
//	             and when a fail-over is over; watch_lengths.go: how long that is;
//	             watch_lapses.go: what it leaves undone (S11, L1);
//	             watch_promises.go: both compared (S11);
//	             watch_brought.go: who presented what he holds (S8, S9); watch_delays.go,
//	             watch_legacy.go: a lock-delay is no longer than it is (S8);
//	             watch_sequencers.go: which are valid, by the log (S10);
//	             watch_leaks.go: what no session has open goes (S15);
//	             watch_snapshot.go: what snapshots stand in for, and whose rows they hold;
//	             watch_stock.go: which of them a replica may count on (S3, S17);
//	             watch_chunks.go: how much of one is synced at once (L2);
//	             watch_questions.go: whom a laggard asks (L1);
//	             watch_shares.go: who has the log to himself (L3)
//	claims.go    what messages and answers claim, against the truth (I-W1);
//	             claims_lead.go: what proposing at a ballot claims
//	look.go      invariants of a replica's memory and rows, every so often
//	run.go       one seed from beginning to end: safety, healing, liveness (L1);
//	             absentees.go: without whom, and without which links; histories.go: S4;
//	             bounds.go: what may not grow (L2); waits.go: how long clients wait then
//	sometimes.go rare situations that runs should reach; rare.go: those that take
//	             more than one look; floors.go: those that are demanded
//	result.go    what becomes of a seed; describe.go: a plan in words
//
// What stands on disks is read by package platter, without the product's code.
// What one life of a replica owes to those that ask it is checked by sim/conformance/replicas,
// what one life of a client may send, believe and tell by package belief.
// What is done with many seeds is package seeds.
//
// A property breaks by World.Break with its number; an invariant of the product
// breaks by a panic that the world turns into the same. Both end the run.
package cell
