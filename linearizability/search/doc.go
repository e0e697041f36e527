// Package search is pure: it looks for an order of concurrent operations that a sequential
// specification allows. It knows operations by number and states as values that it compares;
// package linearizability says what they mean.
//
// The search is that of Wing and Gong with the memory of Lowe: it places one operation after
// the other, each before the first return that is outstanding, goes back where none fits, and
// never tries the same set of placed operations in the same state again. Three rules cut it
// short, each with its proof beside it: reads are placed as soon as they fit (close), an
// operation without an end is placed only where it changes the state (tryOpen), and a
// configuration is hopeless if a hopeless one has as much placed and more left (memo.go).
//
// Reading order: problem.go, run.go, list.go, placed.go, memo.go.
package search
