// Package runner is test support: what is done with the seeds of sim/cell. It stands
// outside of the simulated world; each seed has a world of its own, on one goroutine.
//
// Reading order:
//
//	guard.go     one seed, whose verdict survives a panic of the simulator; verdict.go: in words
//	batch.go     many seeds side by side, told in order; end.go: until when
//	verify.go    a seed twice: same seed, same hash (D1), or where they part
//	tally.go     what all seeds of a batch come to; totals.go: as numbers and as a table;
//	             floors.go: the situations that too few of them reached
//	merge.go     shards, taken for one run
//	settings.go  what decides a run, as files hold it; build.go, thisbuild.go: what it was built from
//	manifest.go  both, with what broke: enough to run it again
//	artifact.go  all the files of a seed that failed; case.go: those of one that was shrunk
package runner
