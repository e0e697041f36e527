// Package backup is synchronous: it reads a backup, checks it, and makes a new cell of it.
//
// Load reads a file and checks every byte and every row. Backup.Restore makes the rows of
// a new cell, and Restored.Write the directory of each of its replicas. Other packages
// make the backups: package driver decides when (backup_scheduler.go), package store
// writes the file (place.go), and package rows has what the cell records of them
// (Backup).
//
// Reading order: load.go, restore.go.
//
// # A backup
//
// A backup is a snapshot (package snapshot has the bytes) that the master writes every
// few hours on another disk (C14.03). Its rows are those after its slot, and a majority
// had the same rows before the first byte was written. Any tool can copy it: a checksum
// covers every byte, the file names its slot and epoch, and nothing outside it is needed.
//
// # What a restored cell is
//
// A new cell with the old one's files. All that was acknowledged up to the slot of
// the backup is there. All that was acknowledged later is lost, and no client is told:
// that is what a disaster costs.
//
//	stays     user rows; the tree with contents, metadata, ACLs and quotas; the
//	          replicated constants, so the new cell is configured as the old one
//	          was (core.ErrConstant)
//	ends      every session, as by Expire. Its locks are free, after their
//	          lock-delays; its ephemeral nodes are swept once the cell serves
//	leaps     the command counter, and with it all instances, generations,
//	          acquisitions and sessions to come; epoch; ballot; slot: by rows.Gap,
//	          so that no number that the old cell gave out after the backup ever
//	          comes again (S2); and at least to a floor that grows with the date of
//	          the restore, so that two cells that were restored from backups of one
//	          cell do not give out the same numbers (Restoration.Made)
//	is new    members; the secret, so no token of the old cell opens anything, and
//	          the cell's name at a place of backups (rows.CellID)
//
// All that the old cell's clients hold is void, and they learn it:
//
//   - a session: OldEpoch first, as in any fail-over, then NoSession. A client that
//     reaches no replica counts on its session until its lease ends;
//   - a lock: for that reason the first master of the new cell grants no lock before the
//     longest lease that the old cell may have granted has passed. It waits by the rule
//     of every fail-over, for a session that no client has (command.Restore);
//   - a sequencer: it is not valid, as the lock is not held at that generation; at a
//     resource that remembers the highest sequencer it has seen, those of the new cell
//     are higher;
//   - a handle: BadHandle, since the secret is a new one.
//
// # What the operator must ensure
//
// No replica of the old cell runs, or will run again. This package cannot check it: a
// majority of them would go on serving beside the new cell. A single old replica that is
// a member of the new cell does no harm: it has voted in lower slots and ballots only,
// and gets the new rows as a laggard does.
//
// Restoration.Lease is not shorter than what the old cell was configured with
// (session.Config.LeaseMax).
package backup
