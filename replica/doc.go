// Package replica is concurrent: the process shell around one replica of a cell.
// It supplies what package host asks of a machine (a clock, a way to send, the
// log lane, the bulk lane, one timer) and nothing of the protocol; the simulator
// supplies the same five things to the same host.
//
//	goroutine  owns                    is woken by                 may block on      stopped by
//	loop       the host                inbox, timer, done, moved   nothing (*)       Stop, or the host's Stop
//	log lane   log and register        the jobs channel            the file system   the loop closing jobs
//	bulk lane  the snapshots           the bulk channel            the file system   the loop closing bulk
//
// (*) When it ends it waits for the lanes and closes the files. A snapshot being
// written ends at its next call only: Stop takes as long.
//
// The inbox is bounded (Config.Inbox): what comes when it is full is dropped, as
// a network would. No mutex is held across a channel operation.
package replica
