// Package backup is synchronous: what becomes of a backup when it is needed. It
// reads one, says whether it is good, and makes a new cell of it.
//
// Read in this order: load, restore. How backups come about stands elsewhere: when,
// in package host (backup.go); the file, in package store (place.go); what the cell
// knows of them, in package rows (Backup).
//
// # A backup
//
// It is a snapshot (package snapshot has the bytes), made by the master, every few
// hours, on another disk (C14.03). Its rows are those after its slot, and were
// compared with those of a majority before the first byte was written. It can be
// copied with any tool: a checksum covers every byte, the file says itself of which
// slot and epoch it is, and nothing outside it is needed.
//
// # What a restored cell is
//
// A new cell with the old one's files. All that was acknowledged up to the slot of
// the backup is there; all that was acknowledged later is lost, and nobody is told
// so: that is what a disaster costs.
//
//	stays     user rows; the tree with contents, metadata, ACLs and quotas; the
//	          replicated constants, so the new cell is configured as the old one
//	          was (node.ErrConstant)
//	ends      every session, as by Expire. Its locks are free, after their
//	          lock-delays; its ephemeral nodes are swept once the cell serves
//	leaps     the command counter, and with it all instances, generations,
//	          acquisitions and sessions to come; epoch; ballot; slot: by rows.Gap,
//	          so that nothing which the old cell gave out after the backup ever
//	          comes again (S2)
//	is new    members; the secret, so no token of the old cell opens anything, and
//	          the cell's name at a place of backups (rows.CellID)
//
// What the old cell's clients hold, then, is worth nothing, and they learn it:
//
//   - a session: OldEpoch first, as in any fail-over, then NoSession. A client that
//     cannot ask believes in it for as long as its lease runs at most;
//   - a lock: so the first master of the new cell gives none to others before the
//     longest lease that the old cell may have granted has passed. It waits by the
//     rule of every fail-over, for a session that nobody has (command.Restore);
//   - a sequencer: it is not valid, as the lock is not held at that generation; at
//     a resource that remembers the highest one it has seen, those of the new cell
//     are higher;
//   - a handle: BadHandle, since the secret is another one.
//
// # What whoever restores owes
//
// No replica of the old cell runs, or will run again. Nothing here can see to that:
// a majority of them would go on serving, beside the new cell. A single one that is
// left, and finds itself a member of the new cell, does no harm: it has voted in
// lower slots and ballots only, and is given the new rows as a laggard is.
//
// The lease that Restoration is given is not shorter than what the old cell was
// configured with (session.Config.LeaseMax).
package backup
