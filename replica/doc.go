// Package replica is concurrent: the process shell around one replica of a cell.
// It supplies what package driver needs from a machine: a clock, a way to send, the
// log lane, the bulk lane, the backup lane and one timer. It holds nothing of the protocol;
// the simulator supplies the same things to the same driver.
//
//	goroutine  owns                    is woken by                 may block on      stopped by
//	loop       the driver              inbox, asks, timer, lanes   nothing (*)       Stop, or the driver's Stop
//	log lane   log and register        logJobs                     the file system   the loop closing logJobs
//	segments   the next log segment    the log lane                the file system   the log lane ending
//	bulk lane  the snapshots           bulkJobs                    the file system   the loop closing bulkJobs
//	backups    the place of backups    backupJobs                  its file system   the loop closing backupJobs (**)
//
// (*) At its end the loop tells its Listeners, and methods that need it fail with ErrStopped from then on. It
// waits for all lanes but backups, and closes the files. A job of the bulk lane that is under way is
// carried out first, and Stop and Wait wait for it.
//
// (**) The loop does not wait for backups: a file server that hangs holds up nothing else.
//
// The timer waits for a second at most, and the loop then reads the clock again: the timers of the
// system stand still while the machine is suspended. So work that fell due during a suspension is done
// about a second after the resume at the latest, and an idle replica wakes once a second.
//
// A Listener (Listen) gets its events from the loop, which compares the present state of the replica
// with the last one. Without a Listener the loop compares nothing. The channels of Listeners are
// bounded, and the loop does not wait for them.
//
// The messages that wait for the loop are bounded (driver.Inbox). If there is no room, a client is
// told to send again later, and a message of a peer is dropped, as a network would do. The loop takes
// in messages of clients that arrived one after the other, up to a bound, before it carries out the
// driver's output for all of them; it takes in a message of a peer alone. The lock of the inbox is
// held for a few instructions; no channel operation under it blocks.
//
// Cell (identity.go) names the cell whose rows the replica has, for a Transport that refuses others.
//
// Named errors: ErrStopped (the replica has ended), ErrListeners (too many Listeners); of SetLimits:
// ErrNotMaster, ErrBusy, ErrLimit, ErrLimitsUnknown; of Backup: ErrNotMaster, ErrNoBackups,
// ErrBackupFailed, ErrBackupLost. An error of a file of this replica ends the replica; it names path
// and offset.
package replica
