// Package simtest is test support: seeds of the simulated cell from go test, with faults,
// workloads and checkers of the tested program. A whole test:
//
//	func TestCounter(t *testing.T) {
//		simtest.Run(t, simtest.Options{With: extension(), Workload: "counter"})
//	}
//
// It runs 20 seeds, one a processor at a time. A seed that breaks a property fails the test
// with what broke and the line that runs this seed again. The shortest is made smaller, until no fault, client or
// replica can be spared; a story of at most 20 lines tells how it came to the break; and its number is
// kept below testdata/sim, where the next run begins. A failure that its seed does not bring back is told as
// that. Expect is for a test of a checker:
// a property must break. Verify is for a test of an extension: one seed is one history.
//
// A program that uses the cell needs no extension: a Program is a function that makes one turn, and
// example_program_test.go is a whole test of one in 60 lines.
//
// A world of the program's own, without a cell, is a World, whose methods are the same: Run
// says of the shortest failure which faults it needs, strike by strike.
//
// The package has six flags:
//
//	-sim.seed N    run this seed only, in each test that runs seeds
//	-sim.seeds N   run so many seeds instead of Options.Seeds
//	-sim.for D     begin seeds for so much real time in each test; without -sim.seeds, as
//	               many as there is time for
//	-sim.shrink D  make a failure smaller for at most so long (20s; 0: not at all)
//	-sim.trace     with -sim.seed: print all that happens, as chubby sim --trace does (go test -v
//	               where several packages are tested)
//	-sim.out DIR   keep of each failing seed, below DIR/TEST, what `chubby sim --out` keeps: trace,
//	               history, picture, manifest, and of one the small case; with -sim.seed
//	               of that one. Of a World: trace.txt
//
// Replay runs such a case in a test from then on. A main that holds the same extension (package simcmd)
// replays a directory.
//
// Reading order: options.go, program.go, flags.go, run.go, report.go, case.go, kept.go, expect.go, replay.go, world.go,
// smaller.go.
package simtest
