package command

import (
	"time"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// Restoration has the values that a cell restored from a backup gets in place of its old ones.
type Restoration struct {
	Master uint32        // any replica of the new cell; no replica leads in the epoch that names it
	Ballot rows.Ballot   // must be above that of the backup's epoch
	Secret [32]byte      // newly drawn; it seals the tokens of the new cell
	Nonce  api.Nonce     // newly drawn; it opens a session that no client has
	Lease  time.Duration // the longest session lease that the old cell may have granted since
	Floor  uint64        // numbers and epoch of the new cell are not below it
}

// restoredPrincipal owns the session that stands for every lease that the old cell may
// have granted after the backup.
const restoredPrincipal api.Principal = "restored"

// Restore makes the rows of a backup those of a new cell:
//
//  1. Every session is expired: its locks are freed with their lock-delays (I-R6).
//  2. Numbers and epoch leap (rows.Renew), so that no session, instance, generation
//     or acquisition that the old cell gave out after the backup comes again, nor one of
//     another cell that was made of its backups, if Floor is higher than that one's. The
//     secret is a new one, so that no token of the old cell is good.
//  3. The longest lease becomes Lease, or stays that of the rows if that is longer, and one
//     session is opened that no client has. So the first master waits, as after any fail-over,
//     until every lease that the old cell granted just before its end is over, even those
//     of sessions that the backup does not have. Only then does it grant locks. The lock-delays of
//     step 1 begin behind these leases (OldLeases).
//
// The rows must be those of a founded cell, and pass Audit. They pass it afterwards too.
func Restore(all *db.DB, r Restoration) rows.Epoch {
	tx := all.Begin()
	defer tx.Commit()
	for _, id := range rows.SessionIDs(tx) {
		mustExecute(tx, Expire{Guard: rows.GetEpoch(tx).Number, Session: id})
	}
	e := rows.Renew(tx, r.Master, r.Ballot, r.Secret, r.Floor)
	mustExecute(tx, LongestLease{Guard: e.Number, Lease: max(r.Lease, rows.GetLongestLease(tx), time.Millisecond)})
	mustExecute(tx, Call{Guard: e.Number, Op: api.OpenSession{Nonce: r.Nonce}, Principal: restoredPrincipal})
	return e
}

// OldLeases returns for how long, from the beginning of an epoch, sessions of the cell before a restored one
// may count on their leases: as long as the session lives that stands for them; 0: in all other cells, too. It
// reads all sessions.
func OldLeases(r rows.Reader) time.Duration {
	for _, s := range rows.Sessions(r) {
		if s.Principal == restoredPrincipal {
			return rows.GetLongestLease(r)
		}
	}
	return 0
}

// mustExecute applies a command that cannot be refused.
func mustExecute(tx *db.Txn, c Command) {
	if a := Apply(tx, string(Append(nil, c))); a.Verdict != Executed {
		invariant.Failf("I-R3", "while rows are restored, %+v is %v: %v", c, a.Verdict, a.Result.Code)
	}
}
