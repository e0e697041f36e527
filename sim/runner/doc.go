// Package runner is test support: it runs many seeds of sim/cell, adds up their results and writes
// their files. It is outside of the simulated world; each seed has a world of its own, on one
// goroutine.
//
// Reading order:
//
//	guard.go     one seed, whose verdict survives a panic of the simulator; verdict.go: in words
//	batch.go     many seeds side by side, with results in order; end.go: why a batch ends
//	verify.go    a seed twice: equal hashes (D1), or the first difference
//	tally.go     adds up the seeds of a batch; totals.go: as numbers and as a table;
//	             floors.go: the situations that too few of them reached
//	merge.go     the totals of several shards together
//	settings.go  the options of a run, as files hold them; build.go, thisbuild.go: what it was built from
//	manifest.go  settings, build and breach: enough to run a seed again
//	artifact.go  all the files of a seed that failed; case.go: those of one that was shrunk
package runner
