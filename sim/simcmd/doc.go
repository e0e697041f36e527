// Package simcmd is test support: the commands of `chubby sim` as a tree that any program
// can hold, with faults, workloads, checkers and experiments of its own. A whole program:
//
//	func main() {
//		simcmd.Main(simcmd.Options{
//			With: &scenario.Extension{Faults: []scenario.Fault{blink{}}},
//		})
//	}
//
// Its flags, tables, JSON and exit codes are those of `chubby sim`; what it adds stands in
// `sim list`, can be named by --faults and --workload, takes part in the swarm, and is named
// in manifests, so that `sim replay` of the same program runs a failing seed again.
//
// Reading order: options.go (the door), app.go (the tree), sim.go (the main job) with batch.go,
// tell.go, failures.go, shrink.go, progress.go and trace.go, then one file a command (merge.go:
// shards; compare.go with side.go: two sides, of which measure.go runs one seed in another program; case.go: replay of a case; advance.go: what experiments with one world share).
package simcmd
