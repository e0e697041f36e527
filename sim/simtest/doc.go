// Package simtest is test support: seeds of the simulated cell from go test, with faults,
// workloads and checkers of the tested program. A whole test:
//
//	func TestCounter(t *testing.T) {
//		simtest.Run(t, simtest.Options{With: extension(), Workload: "counter"})
//	}
//
// It runs 20 seeds, one a processor at a time. A seed that breaks a property fails the test
// with what broke and the line that runs this seed again. Expect is for a test of a checker:
// a property must break. Verify is for a test of an extension: one seed is one history.
//
// A world of the program's own, without a cell, is a World, whose methods are the same: Run
// says of the first failure which kinds of faults it needs, and keeps its seed below
// testdata/sim, where the next run begins.
//
// The package has four flags:
//
//	-sim.seed N    run this seed only, in each test that runs seeds
//	-sim.seeds N   run so many seeds instead of Options.Seeds
//	-sim.for D     begin seeds for so much real time in each test; without -sim.seeds, as
//	               many as there is time for
//	-sim.out DIR   keep of each failing seed, below DIR/TEST, what `chubby sim --out` keeps: trace,
//	               history, picture, manifest; with -sim.seed of that one. Of a World: trace.txt
//
// A main that holds the same extension (package simcmd) replays such a directory. Its sim
// command, with --out, makes the first failure smaller and leaves a case, which Replay runs in
// a test from then on.
//
// Reading order: options.go, flags.go, run.go, expect.go, report.go, replay.go, world.go.
package simtest
