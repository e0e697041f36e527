// Package moments is test support: it keeps what happens in one run of a cell as a list of moments, with their causes.
//
// A Log listens to a run: it takes the trace (messages, disks, faults) and the events (which replica leads, what
// clients believe). Two kinds of links lead from a moment to possible causes: to the moment before on the same machine,
// and from the receipt of a message to its sending. Nothing in the package knows of any particular bug. Packages story
// and page use it.
//
// Reading order:
//
//	moment.go    one moment
//	log.go       Log, which makes moments of the trace and the events
//	session.go   what a client told its program about its session
//	recovery.go  what a recovery read from a disk
//	audit.go     audits: full checks of what a replica holds
//	past.go      the moments that another one may have come from
//	harm.go      faults and their effects
//	words.go     faults and their effects in words
//	lines.go     all moments in words, for programs that show runs that break nothing
//	print.go     a run line by line
//	filter.go    which lines to print
package moments
