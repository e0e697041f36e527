// Package driver is pure: it stands between a node and the machine.
//
// A node (package replica/core) speaks of messages, records and replies; a
// machine has bytes, one disk that writes one thing at a time, and one timer.
// Host turns the first into the second and back:
//
//	bytes from a peer    -> PeerMessage   -> decoded, checked, Step, or a transfer
//	bytes from a client  -> ClientMessage -> decoded, checked, Request
//	log lane is done     -> LogDone       -> Durable, or the end
//	bulk lane is done    -> BulkDone      -> Truncate, Installed, a piece for a peer
//	backup lane is done  -> BackupDone    -> RecordBackup
//	the timer ran        -> Advance       -> Advance
//
//	TakeOutput -> bytes to peers and clients, at most one LogJob, one BulkJob and
//	              one BackupJob, one instant
//
// The process shell (package replica) and the simulator both drive this, and
// add nothing of the protocol: they own a clock, a way to send, the lanes and
// one timer.
//
// Read in this order: host, job (the log lane), bulk_job, bulk (what that lane
// does next), transfer_message and sum_message, sums and confirm (comparing rows
// before they are written), fetch (getting a snapshot), transfer; backup; invariant.
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
// # The bulk lane
//
// At most one job is under way here, too, beside the log lane's: write a snapshot,
// read a piece for a peer, take in a piece from one. A snapshot is begun after
// Config.SnapshotEvery slots, and written when its rows were compared. When it is
// durable, what concerns only slots up to the older of the two newest is forgotten,
// but for Config.KeepSlots: by the node at once, by the log in a job of its own.
//
// # Comparing before writing
//
// Memory may go wrong, and a file of wrong rows would outlive it: a restart would
// begin with them, a laggard be given them. So the rows of a snapshot are frozen, in
// constant time, and held back until a majority of the members, this one included,
// had the same checksum after the same slot. Nothing that was not confirmed is ever
// on a disk, so nothing has to be found there and doubted.
//
//	AskSum(slot)        to all others; again, with doubling waits, to those that did
//	                    not say the same
//	TellSum(slot, sum)  from one that has applied the slot, at once or when it has
//	NoSum(slot)         from one that knows no sum of so old a slot: then the rows of
//	                    a later slot are taken, after a wait for the others
//	Relay(from, to, m)  one of these by way of a third: who did not answer in time is
//	                    asked through those that did, and answers the same way
//
// What they tell is the checksum that is kept while rows are written, of every slot
// that is in memory (sums): no walk, so any slot will do. What the file holds is
// compared with it row by row: who writes rows out sums them, and rows that changed
// behind the checksum's back stop the replica (db.ErrChanged). So the rows in a
// snapshot have the checksum that a majority had from the log, whatever became of
// the memory of this one. Rows that no majority can have stop it, too
// (node.ErrMinority).
//
// While a minority is away, the others are enough. While a majority is, nothing is
// chosen: there is no snapshot and nothing is dropped, but there is nothing new to be
// kept either. Between the two stands a replica that hears the master and, of a
// majority, nobody else: it learns all that is chosen. That is what words are relayed
// for, or it would keep all of it.
//
// # Fetching
//
// A node that no records will help says so, and the host fetches a snapshot from a
// peer. At most one piece of it is in memory, here and at the source, and one
// question of each peer. Who gives it may be slow: the laggard waits longer than
// pieces usually take, and leaves a giver for one that has another snapshot, with
// which it would begin anew, only after several silences. A transfer lives as long as the process: after a restart
// it begins anew.
//
// # Backups
//
// The master, and nobody else, hands rows to a third lane every Config.BackupEvery,
// for the place of backups (C14.03). They are compared like those of a snapshot. Each
// cell adds a spread to the interval, of an eighth of it at most, so that those of
// a building do not all write at once.
//
// When the next one is due stands in the rows: the slot of the newest, and how long
// masters have served since, which a master notes eight times in an interval. So a
// new master goes on where the last one was, less an eighth at most: a cell whose
// masters change every hour is backed up like any other, and none is made twice
// because somebody forgot that it was. A master that dies between writing a backup
// and recording it leaves the file; the next one, if it has the same place, finds
// it and records it. No clock is compared with another one's, and no date is kept.
//
// Nothing waits for this lane. A place that is full, gone or hangs costs backups:
// what fails is counted, and tried again with doubling waits, up to that eighth.
//
// # Errors
//
// Malformed bytes are counted and dropped. An error of the log lane is final: the
// host stops, says why in Output.Stop, and does nothing ever after. A replica
// that no longer knows what it wrote must not vote. An error of the bulk lane is
// counted, and the job is done again later: nothing stands on a snapshot before it
// is durable (P7.05).
//
// # Invariants
//
//	I-U1  state  pauses before others are asked again, about rows or for a snapshot,
//	             have a bound: 8 Retransmit
package driver
