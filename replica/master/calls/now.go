package calls

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// At is the instant at which a method is called, with the lease and the rows at that instant.
type At struct {
	Now time.Time // by this replica's clock, which does not go back
	// Lease is the end of the master lease of the present tenure, as the log knows it. It is
	// zero if there is no lease, or if it belongs to another tenure.
	Lease time.Time
	Rows  rows.Reader // as they are now
}

// HasAuthority reports whether the master lease runs: no other replica can have changed a row by
// now, so the rows are the present ones and the master may make promises (PML §5.2, master leases).
func (at At) HasAuthority() bool { return at.Now.Before(at.Lease) }

// CanAnswerNow reports whether a call of a session may be answered at once, from the rows and from
// memory, without a command. seen is the AckedThrough of its request. The rule is the same for reads,
// refusals and all other answers that leave no row:
//
//   - This replica serves clients in the epoch that the call names. The master has checked that
//     when it accepted the call.
//   - It has read authority, by the master lease of this very tenure (PML §5.2). A later tenure
//     may begin with slots that the rows lack.
//   - No call up to seen, which the client no longer awaits, has a command on its way. Such a
//     command could be executed after the answer, which the client takes as final.
//
// Otherwise the call becomes a command itself, behind the others.
func (t *Table) CanAnswerNow(at At, id api.SessionID, seen api.Seq) bool {
	return at.HasAuthority() && t.isSettled(id, seen)
}

// isSettled reports whether no call of a session up to this one has a command on its way. Then the
// rows are final for these calls: a later duplicate of one is Stale.
func (t *Table) isSettled(id api.SessionID, through api.Seq) bool {
	s, ok := t.sessions[id]
	if !ok || s.counts.commands == 0 {
		return true
	}
	for _, c := range s.calls {
		if c.Seq <= through && c.State.needsCommand() {
			return false
		}
	}
	return true
}
