// Package histories is test support: what client programs asked and were told, of rows, of
// nodes and of locks, and whether one order explains it (S4, S3).
//
// A client program takes down its calls as they begin and end. What the cell did by itself,
// or for a client that keeps no records, is taken from the log, as calls of the system. When
// a run is over, each change is placed where it stands in the log, the witness check decides,
// and Porcupine decides beside it.
//
// Reading order: verdict.go, rows.go; files.go, files_log.go, files_check.go; locks.go,
// locks_check.go.
package histories
