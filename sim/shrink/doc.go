// Package shrink is test support: it makes a failing seed smaller.
//
// The failing run is recorded as a script (plan.Script) with one entry for each fault. The Shrinker leaves out faults,
// then clients, programs, replicas and time, as long as the run breaks the same property by the same check
// (cell.Breach.Same). The result is a Case: options that still fail, with the fewest faults that the Shrinker found.
//
// Reading order:
//
//	shrink.go      Shrinker, Case: the passes, in their order
//	neighbours.go  of these, the one that gives messages other delays
//	size.go        how large a script is
//	search.go      runs candidates in parallel, and takes the first one in order that still fails
//	list.go        delta debugging of a list
package shrink
