// Package replica is concurrent: the process shell around one replica of a cell.
// It supplies what package host asks of a machine (a clock, a way to send, the
// log lane, one timer) and nothing of the protocol; the simulator supplies the
// same four things to the same host.
//
//	goroutine  owns                    is woken by                 may block on      stopped by
//	loop       the host                the inbox, the timer, done  nothing (*)       Stop, or the host's Stop
//	log lane   the store               the jobs channel            the file system   the loop closing jobs
//
// (*) When it ends it waits for the lane to close the files.
//
// The inbox is bounded (Config.Inbox): what comes when it is full is dropped, as
// a network would. No mutex is held across a channel operation.
package replica
