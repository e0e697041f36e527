// Package faults is test support: what goes wrong in the simulated cell, and when.
//
// A kind of fault strikes at intervals that its seed decides, for the length of the safety
// phase, with quiet periods in between. A strike acts on machines, links, clocks and disks
// of package sim, and asks replicas for what an operator may ask them for (Cluster). What it
// may damage the budget says (sim/damage); what it must know of the cell comes as Facts. It
// sees no checker.
//
// Reading order:
//
//	faults.go    the faults of one run: what they share, and their end; kinds.go: the kinds,
//	             each on or off by seed; moment.go: what some strikes wait for; stage.go:
//	             kinds of an extension (sim/scenario); script.go: strikes one by one, as they
//	             were recorded; acting.go: which of them does what
//	network.go, echo.go, late.go, late_copy.go, late_answer.go, lost_news.go: messages that are lost,
//	             repeated, late, and that outlive what their sender had not synced
//	clock.go, process.go, source.go: clocks, restarts and pauses, sources of snapshots
//	session.go   faults that are aimed at the ends of sessions
//	disk.go, far.go, snapshot.go: calls of disks that fail, snapshots that go bad
//	rot.go, misdirect.go, forget.go, stray.go: bytes that rot, go astray, are old or missing;
//	             a row that changes in memory
//	library.go   faults for worlds of any protocol (sim.Scenario), each with rate and aim;
//	             swarm.go: those that a seed draws. They know nothing of the cell
package faults
