// Package simtest is test support: it runs seeds of the simulated cell from go test, with faults,
// workloads and checkers of the tested program. A whole test:
//
//	func TestCounter(t *testing.T) {
//		simtest.Run(t, simtest.Options{With: extension(), Workload: "counter"})
//	}
//
// It runs 20 seeds, one per processor at a time. A seed that breaks a property fails the test. The
// output names what broke and the command line that runs this seed again.
//
// Run shrinks the shortest failure until it needs every remaining fault, client and replica. A
// story of at most 20 lines tells how the break came about. Run keeps the numbers of
// failing seeds below testdata/sim; the next run begins with the seeds that are kept there. If the
// seed does not reproduce the failure, Run says so.
//
// Expect is for a test of a checker: a property must break. Verify is for a test of an extension:
// one seed must be one history.
//
// A program that uses the cell needs no extension: a Program is a function that makes one turn, and
// example_smallest_test.go is a whole test of one.
//
// If the programs have different tasks, each task is one of the Program's Roles: example_roles_test.go.
//
// A World is a world of the program's own, with no cell, or with those that package sim/cellkit adds
// to it (example_cell_test.go). It has the same methods; its Run reports
// which faults the shortest failure needs, strike by strike, and what led to the break.
//
// Compare runs two Worlds on the same seeds, such as a protocol with two timeouts, and says in what
// their measures differ (sim.Measure, World.Count). Sweep runs an experiment, in Worlds, over the
// values of a parameter: example_compare_test.go has one of each. Cells are compared and measured by
// the commands `sim compare` and `sim experiment` of package simcmd.
//
// The package has these flags:
//
//	-sim.seed N    run this seed only, in each test that runs seeds
//	-sim.seeds N   run N seeds instead of Options.Seeds
//	-sim.for D     begin new seeds for D of real time in each test; without -sim.seeds, as
//	               many as the time allows
//	-sim.shrink D  shrink a failure for at most D (20s; 0: not at all)
//	-sim.trace     with -sim.seed: print everything that happens, as chubby sim --trace does
//	               (with go test -v if several packages are tested); -sim.kind, -sim.node,
//	               -sim.slot, -sim.about, -sim.since and -sim.before select lines, as the
//	               flags of these names do there
//	-sim.out DIR   keep below DIR/TEST, for each failing seed, what `chubby sim --out` keeps:
//	               trace, history, picture, manifest, and for one seed the shrunk case and its
//	               story.txt; with -sim.seed, for that seed. For a World the same: the history is
//	               that of Linearizable, and the shrunk case has only the faults that it needs. A
//	               story.txt ends with the command that runs the seed again
//
// To run such a case in a test from then on, use Replay, Program.Replay or World.Replay. The last also
// replays a directory. For cells a main with the same extension (package simcmd) replays a directory.
//
// Reading order: options.go, program.go, role.go, flags.go, trace.go, run.go, judge.go, report.go, case.go, kept.go, expect.go,
// replay.go, world.go, smaller.go, watched.go, worldcase.go, linearizable.go; paired.go, compare.go, columns.go,
// sweep.go.
package simtest
