// Package replica is concurrent: the process shell around one replica of a cell.
// It supplies what package driver asks of a machine (a clock, a way to send, the
// log lane, the bulk lane, the backup lane, one timer) and nothing of the protocol;
// the simulator supplies the same things to the same driver.
//
//	goroutine  owns                    is woken by                 may block on      stopped by
//	loop       the driver              inbox, asks, timer, lanes   nothing (*)       Stop, or the driver's Stop
//	log lane   log and register        the jobs channel            the file system   the loop closing jobs
//	segments   the next log segment    the log lane                the file system   the log lane ending
//	bulk lane  the snapshots           the bulk channel            the file system   the loop closing bulk
//	backups    the place of backups    the saves channel           its file system   the loop closing saves (**)
//
// (*) When it ends it waits for the lanes but the last and closes the files. A snapshot
// being written ends at its next call only: Stop takes as long.
//
// (**) Not waited for: a file server that hangs holds up nothing but backups.
//
// Listeners (Listen) hear of what happens from the loop, which compares how the replica is with how it
// was: without one it compares nothing. Their channels are bounded, and the loop does not wait for them.
//
// What has come and waits is bounded (driver.Inbox): a client whose message
// finds no room is told to send again later, and a peer's message is dropped, as a network would. The loop takes in what clients sent one behind the other, up to a bound,
// and then carries out what follows from all of it; a message of a peer it takes in alone.
// The lock of the inbox is held for a few instructions; the one channel operation
// under it does not block.
//
// Errors by name: ErrStopped (the replica has stopped), ErrListeners (too many listen); those of
// SetLimits: ErrNotMaster, ErrBusy, ErrLimit, ErrLimitsUnknown. Others end the replica, with path and offset.
package replica
