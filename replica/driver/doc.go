// Package driver is pure: it stands between a replica and the machine.
//
// A replica (package core) works with messages, records and replies; a machine has
// bytes, disks that are slow, and one timer. Driver turns the first into the second and
// back. It decides which disk job comes next, fetches snapshots from peers, has rows
// compared before they are written, and decides when a backup is due:
//
//	bytes from a peer    -> PeerMessage   -> decoded, checked, Step, or a transfer
//	bytes from a client  -> ClientMessage -> decoded, checked, Request
//	a log job ended      -> LogDone       -> Durable, or the end
//	a bulk job ended     -> BulkDone      -> Truncate, Install, a piece for a peer
//	a backup job ended   -> BackupDone    -> RecordBackup
//	the timer ran        -> Advance       -> Advance
//
//	TakeOutput -> bytes to peers and clients, at most one LogJob, one BulkJob and
//	              one BackupJob, one instant
//
// The process shell (package replica) and the simulator both drive it and add nothing of
// the protocol: each supplies a clock, a way to send, the disk jobs and one timer.
//
// Messages that come while the goroutine that owns the Driver is busy wait in an Inbox. It decides
// which message the Driver takes in next, and when the output is carried out.
//
// Reading order: config.go, driver.go, inbox.go, turns.go, fifo.go, log_scheduler.go, bulk_job.go, bulk_scheduler.go,
// transfer_message.go and sum_message.go, sums.go and comparison.go (comparing rows
// before they are written), fetch.go (getting a snapshot), transfer.go,
// backup_scheduler.go, invariant.go; then the bytes: wire.go, sum_codec.go.
//
// # Log jobs
//
// At most one is under way. Records that the replica makes meanwhile are collected and
// become the next job: one sync serves all of them (C14.07). Records for whose
// durability nothing waits go with them; they get a job of their own only when they have
// waited for Config.FlushAfter. A log that has been idle for Config.IdleAfter since its
// last sync is asked to write its watermark, so that damage below it can be told from a
// torn tail.
//
// # Bulk jobs
//
// At most one is under way, beside the log job: write a snapshot, read a piece for a
// peer, or write a piece that came from a peer. A snapshot is due after
// Config.SnapshotBytes of log, or after a share of what the rows take, if that is more: so
// what snapshots write is in proportion to what the log does, and a restart reads a log that
// is in proportion to the rows. It is written when its rows were compared and the log
// says durably which values were chosen in its slots; the log is synced for it. When it is
// durable, records that concern only slots up to the older of the two newest snapshots are
// dropped, except those of Config.KeepSlots: by the replica at once, by the log in a job
// of its own. A restart drops as much and no more, so that a laggard is helped also when
// the newest snapshot turns out bad.
//
// # Comparing before writing
//
// Memory may go wrong, and a file of wrong rows would outlive it: a restart would begin
// with them, and a laggard would be given them. So the rows of a snapshot are frozen, in
// constant time, and held back until a majority of the members, this one included, had
// the same checksum after the same slot. Rows that were not confirmed never reach a
// disk.
//
//	AskSum(slot)        to all others; again, with doubling waits, to those that have not
//	                    reported the same sum
//	TellSum(slot, sum)  from a replica that has applied the slot, at once or when it has
//	NoSum(slot)         from a replica that has no sum of so old a slot: then the rows of
//	                    a later slot are taken, after a wait for the others
//	Relay(from, to, m)  one of these by way of a third replica: a peer that did not answer
//	                    in time is asked through those that did, and answers the same way
//
// The sum is the checksum that is kept while rows are written, of every slot that is in
// memory (sums.go): it takes no walk over the rows, so any slot will do. The rows in the
// file are summed while they are written and compared with it: rows that changed without
// a transaction stop the replica (db.ErrChanged). So the rows in a snapshot have the
// checksum that a majority had from the log, even if this replica's memory went wrong.
// Rows that no majority can have stop the replica, too (core.ErrMinority).
//
// If a minority is unreachable, the other members confirm the rows. If a majority is
// unreachable, no value is chosen: no snapshot can be written, and the log does not grow.
// A replica may also reach the master, and learn all chosen values, but reach no majority.
// For this case a third replica relays questions and sums; otherwise the replica would have
// to keep every slot of that time.
//
// # Fetching
//
// A replica that lacks slots which peers have dropped reports it (paxos.Behind), and the
// driver fetches a snapshot from a peer. At most one piece of it is in memory, here and
// at the source, and at most one question of each peer. A source may be slow: the
// laggard waits longer than pieces usually take. Only after several missed answers does
// it leave its source for one that has another snapshot, with which it must begin anew. A
// transfer lives as long as the process: after a restart it begins anew.
//
// # Backups
//
// Only the master writes backups, every Config.BackupEvery, to the place of backups, by
// jobs of a third kind (C14.03). Their rows are compared like those of a snapshot. Each
// cell adds a jitter of up to an eighth of the interval, so that the cells of a building do
// not all write at once.
//
// When the next one is due follows from the rows: the slot of the newest backup, and how
// long masters have served since, which the master records eight times in an interval. A
// new master continues from there and loses an eighth at most. So a cell whose masters
// change every hour is backed up like any other, and no backup is made twice because a
// master did not know of it. A master that dies between writing a backup and recording
// it leaves the file; the next one, if it has the same place, finds and records it. No
// two clocks are compared, and no date is kept.
//
// An operator may request a backup (OrderBackup). The driver takes its rows at once, and the
// result of that job answers the request. A backup whose rows were taken earlier does not
// answer it, nor does one that was not recorded: a record precedes any later epoch in the log,
// so this replica was master when the request came. The interval then begins again.
//
// Nothing waits for a backup job. A place that is full, gone or hangs costs backups only:
// a failure is counted, and the backup is attempted again with doubling waits, up to that
// eighth.
//
// # Errors
//
// Malformed bytes are counted and dropped. An error of a log job is final: the driver
// stops, gives the reason in Output.Stop, and ignores every later input. A replica that
// no longer knows what it wrote must not vote. An error of a bulk job is counted, and
// the job is done again later: nothing depends on a snapshot before it is durable
// (P7.05).
package driver
