// Package faults is test support: the faults in the simulated cell, and when they strike.
//
// A kind of fault strikes at intervals that its seed decides, for the length of the safety phase,
// with quiet periods in between. A strike acts on machines, links, clocks and disks of package sim,
// and asks replicas for what an operator may ask (Cluster). The budget (sim/damage) limits what it
// may damage. Facts supply what it must know of the cell. It imports no checker.
//
// Reading order:
//
//	faults.go    the faults of one run: what they share, and their end; kinds.go: the kinds,
//	             each on or off by seed; moment.go: what some strikes wait for; stage.go:
//	             kinds of an extension (sim/scenario); script.go: recorded strikes, one by
//	             one; acting.go: which of them acts now
//	network.go, echo.go, late.go, late_copy.go, late_answer.go, lost_news.go: messages that are
//	             lost, repeated, late, or outlive records that their sender had not synced
//	clock.go, process.go, source.go: clocks, restarts and pauses, sources of snapshots
//	session.go   faults aimed at the ends of sessions
//	disk.go, far.go, snapshot.go: disk calls that fail, snapshots that go bad
//	rot.go, misdirect.go, forget.go, stray.go: bytes that rot, go astray, are old or missing;
//	             a row that changes in memory
//	library.go   faults for worlds of any protocol (sim.Scenario), each with rate and aim (replicas or clients);
//	             overlay.go: what is in force when strikes at one link, disk or clock overlap;
//	             swarm.go: a seed's draw of them. None knows of the cell
package faults
