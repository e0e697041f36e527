package core

import (
	"time"

	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// Backup is what the rows say of backups.
func (r *Replica) Backup() rows.Backup { return rows.GetBackup(r.db) }

// RecordBackup has b written into the rows, by a replica that serves; by any other,
// and where the log is full, it does nothing. Backup shows what came of it.
func (r *Replica) RecordBackup(now time.Time, b rows.Backup) {
	r.now = now
	if r.serving == nil {
		return
	}
	raw := command.Append(nil, command.Backup{Guard: r.serving.Epoch, Done: b})
	if r.paxos.Propose(now, raw) == nil {
		r.observeProposed(raw)
	}
}
