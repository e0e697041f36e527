// Package diskjobs is synchronous: it does the disk jobs that a driver asks for.
//
// Log does a log job, Bulk.Do a bulk job, Backup.Do a backup job. Each is a few plain
// calls of replica/disk/store and returns what the driver wants to know. The process
// shell (package replica) calls them on goroutines, the simulator on coroutines. Jobs of
// one kind never overlap; jobs of different kinds do, and share nothing but the store.
//
// Reading order: log.go, bulk.go, backup.go.
package diskjobs
