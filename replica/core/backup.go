package core

import (
	"time"

	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// Backup returns what the rows record of backups.
func (r *Replica) Backup() rows.Backup { return rows.GetBackup(r.db) }

// RecordBackup proposes that the rows record b. It does nothing if this replica does not serve, or
// the log has no room; Backup tells later whether b was recorded.
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
