// Package history is pure: concurrent operations as they were recorded, with the outcomes that
// their clients know, and a recorder that numbers events as they happen. Package
// linearizability checks histories, and names all of this again.
//
// Reading order: operation.go, history.go, recorder.go; seconds.go is for reports.
package history
