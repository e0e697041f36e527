package cell

import "slices"

// demanded are the situations that many seeds together must reach: a situation that no seed reaches
// is not tested. Removing one needs a reason in docs/decisions, "Some faults aim".
var demanded = []string{
	"unreadable-in-quorum",   // an unreadable vote inside a deciding quorum
	"snapshot-over-vote",     // a snapshot installed over an accepted slot
	"lease-refused-drift",    // a lease refused by drift
	"failover-in-failover",   // a fail-over during a fail-over
	"stale-lease-answer",     // a stale lease answer dropped
	"duel-of-three",          // a duel of three candidates
	"source-died",            // a catch-up source that dies midway
	"promise-half-written",   // a crash between the two promise files
	"torn-with-good-behind",  // a torn group commit with a good later frame
	"window-full",            // the window full
	"noop-filled-hole",       // a hole filled with a no-op
	"boot-refused-page",      // a page rejected by its boot number
	"ballot-again",           // a ballot used again after a crash before its promise was durable
	"ballot-boost",           // a ballot boost
	"hand-over",              // a hand-over
	"read-without-lease",     // a read refused for want of a lease
	"answer-repeated",        // a retry answered from the rows
	"epoch-guard-refused",    // a command refused by its epoch guard
	"sum-during-snapshot",    // a checksum compared while a snapshot was written
	"sync-failed-under-load", // a sync error under load
	"roll-in-recovery",       // a segment rolled during recovery
	"event-replaced",         // events that a master did not keep for a slow client
	"event-relisted",         // a directory listed because an event came
	"cache-hit",              // contents or metadata read from a cache
	"cache-names",            // names in a directory read from a cache
	"cache-absence",          // a node that is not there, by a cache
	"cache-lifted",           // a change that waited for a client and went on
	"cache-flushed",          // a fail-over while clients have caches
	"lock-kept",              // a lock acquired again that its handle had kept
}

// Demanded reports whether many seeds together must reach the situation.
func Demanded(name string) bool { return slices.Contains(demanded, name) }
