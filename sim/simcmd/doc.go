// Package simcmd is test support: it has the commands of `chubby sim` for any program, with the program's own faults,
// workloads, checkers and experiments. A whole program:
//
//	func main() {
//		simcmd.Main(simcmd.Options{
//			With: &scenario.Extension{Faults: []scenario.Fault{blink{}}},
//		})
//	}
//
// Its flags, tables, JSON and exit codes are those of `chubby sim`. `sim list` lists what the program adds, --faults
// and --workload accept its names, and its faults take part in the swarm. Manifests name the additions, so that `sim
// replay` of the same program runs a failing seed again.
//
// Reading order:
//
//	options.go    Options, Main and Command: the API
//	app.go        the tree of commands
//	sim.go        `chubby sim`; with it batch.go, tell.go, failures.go, shrink.go, progress.go, trace.go
//	verify.go, list.go, replay.go, experiment.go, sessions.go, caching.go, merge.go
//	              one command each; advance.go: shared by sessions and caching
//	case.go       replay of a case
//	compare.go    two sides; side.go: one side; measure.go: one seed of a side that is another program
package simcmd
