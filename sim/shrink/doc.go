// Package shrink is test support: it makes a failing seed smaller.
//
// A run that failed is recorded as a script (plan.Script), its faults one by one. Faults are
// left out, then clients, programs, replicas and time, as long as the run breaks the same
// property by the same check (cell.Breach.Same). What is left is a Case: options that fail,
// with the fewest faults that were found to do it.
//
// Reading order:
//
//	shrink.go    Shrinker, Case: the passes, in their order
//	size.go      how large a script is
//	search.go    candidates side by side, the first of them in order that still fails
//	list.go      delta debugging of a list
package shrink
