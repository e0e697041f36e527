// Package search is pure: it looks for an order of concurrent operations that a sequential
// specification allows. It knows operations by number and states as values that it compares;
// package linearizability says what they mean.
//
// The search is that of Wing and Gong with the memory of Lowe. It places one operation after the other, each before the
// first outstanding return, and goes back if none fits. It never enters the same configuration twice, which is the set
// of placed operations and the state. Three rules shorten it; their proofs are in the code. Reads are placed as soon as
// they fit (placeReads). An open operation, which has no return, is placed only if it changes the state (tryOpen). A
// configuration is not entered if an earlier one differs from it only by having fewer open operations placed (memo.go).
//
// Reading order: problem.go, run.go, list.go, placed.go, memo.go.
package search
