// Package moments is test support: all that happens in one run of a cell, each thing on one
// machine, and what it may have come from.
//
// A Log listens to a run: it takes the trace (messages, disks, what was done to machines) and
// the events (which replica leads, what clients believe). A moment may come from the one before on the same
// machine, and the coming of a message from its sending. Nothing in it knows of any
// particular bug. Stories and pages are made of it.
//
// Reading order:
//
//	moment.go    what happened, as the trace and the events say it; log.go: keeps it
//	recovery.go  what a disk gave back; audit.go: walks through what a replica holds
//	past.go      what a moment may have come from
//	harm.go      what was injected, and what that did; words.go: in words
//	lines.go     all moments in words, for what tells of runs that break nothing
//	print.go     a run line by line; filter.go: some of the lines
package moments
