// Package history is pure: it has histories of concurrent operations, with the outcomes that their clients know, and a
// recorder that numbers events as they happen. Package linearizability checks histories, and has aliases of all names
// here.
//
// Reading order: operation.go, history.go, recorder.go; names.go and seconds.go are for reports.
package history
