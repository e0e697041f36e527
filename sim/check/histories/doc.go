// Package histories is test support: the calls of client programs on rows, nodes and locks,
// and whether one order explains all their answers (S4, S3).
//
// A client program records its calls when they begin and end. What the cell did by itself, or
// for a client that keeps no records, is taken from the log, as calls of the system. After
// the run, each change is placed where the log has it. The witness check decides, and
// Porcupine decides independently.
//
// Calls records calls of clients at the wire, for programs that keep no records.
//
// Reading order: verdict.go, rows.go; files.go, files_log.go, files_check.go; locks.go,
// locks_check.go; calls.go.
package histories
