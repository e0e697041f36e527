package calls

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// At is the instant at which a method is called, and what holds then.
type At struct {
	Now time.Time // of this replica's clock, which does not go back
	// Lease is the end of the master lease of the tenure that the master is in, as the
	// log knows it; zero where there is none, or it is the lease of another tenure.
	Lease time.Time
	Rows  rows.Reader // as they are now
}

// HasAuthority reports whether no other replica can have changed a row by now: what the
// rows say is so, and what is promised is kept (PML §5.2, master leases).
func (at At) HasAuthority() bool { return at.Now.Before(at.Lease) }

// CanAnswerNow reports whether the answer to a call may come from the rows and from memory,
// here and now, without a command. The rule is one for reads, refusals and whatever else
// leaves no row:
//
//   - this replica serves clients, in the epoch that the call names. The master has tested
//     that when it accepted the call;
//   - it has read authority, by the master lease of this very tenure (PML §5.2). A lease of
//     a later tenure may begin with slots that the rows lack;
//   - no call that the client gave up, as it says with Seen, has a command on its way. Such
//     a command could be executed behind the answer, and the client takes what it is told
//     then as final.
//
// Otherwise the call becomes a command itself, behind the others.
func (t *Table) CanAnswerNow(at At, id api.SessionID, seen api.Seq) bool {
	return at.HasAuthority() && t.isSettled(id, seen)
}

// isSettled reports whether no call of a session up to this one has a command on its way.
// Then what the rows say behind them is final: a duplicate that comes later is Stale.
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
