package core

import (
	"time"

	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// Backup is what the rows say of backups.
func (n *Node) Backup() rows.Backup { return rows.GetBackup(n.db) }

// RecordBackup has b written into the rows, by a replica that serves; by any other,
// and where the log is full, it does nothing. Backup shows what came of it.
func (n *Node) RecordBackup(now time.Time, b rows.Backup) {
	n.now = now
	if n.serving == nil {
		return
	}
	raw := command.Append(nil, command.Backup{Guard: n.serving.Epoch, Done: b})
	if n.paxos.Propose(now, raw) == nil {
		n.out.Proposed = append(n.out.Proposed, raw)
	}
}
