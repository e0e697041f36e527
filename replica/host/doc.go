// Package host is pure: it stands between a node and the machine.
//
// A node (package replica/node) speaks of messages, records and replies; a
// machine has bytes, one disk that writes one thing at a time, and one timer.
// Host turns the first into the second and back:
//
//	bytes from a peer    -> PeerMessage   -> decoded, checked, Step
//	bytes from a client  -> ClientMessage -> decoded, checked, Request
//	log lane is done     -> LogDone       -> Durable, or the end
//	the timer ran        -> Advance       -> Advance
//
//	TakeOutput -> bytes to peers and clients, at most one LogJob, one instant
//
// The process shell (package replica) and the simulator both drive this, and
// add nothing of the protocol: they own a clock, a way to send, the log lane and
// one timer.
//
// # The log lane
//
// At most one job is under way. What the node wants written meanwhile collects
// and becomes the next job: one sync serves all of it (C14.07). Records nobody
// waits for ride along; they get a job of their own only when they have waited
// for Config.FlushAfter. A log that has been idle for Config.IdleAfter since its
// last sync is asked to write its watermark, so that damage below it is known
// for rot.
//
// # Errors
//
// Malformed bytes are counted and dropped. An error of the disk is final: the
// host stops, says why in Output.Stop, and does nothing ever after. A replica
// that no longer knows what it wrote must not vote.
package host
