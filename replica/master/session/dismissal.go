package session

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// Dismissal is what Dismiss has done.
type Dismissal struct {
	Principal api.Principal
	Ends      time.Time // the end of the session is not proposed before this instant
	IsNew     bool      // the session was not dismissed before
}

// Dismiss has the present lease of a session be its last: its KeepAlives are not answered any more, and its
// end is proposed when the lease is over, whether a KeepAlive waits then or not. To dismiss a session again
// changes nothing. ok is false if the session is not in the table, or sessions have no leases: no instant is
// known then at which its client has ceased to believe in it.
func (t *Table) Dismiss(id api.SessionID) (d Dismissal, ok bool) {
	e := t.sessions[id]
	if e == nil || !t.cfg.hasLeases() {
		return Dismissal{}, false
	}
	d = Dismissal{Principal: e.principal, Ends: e.ends(), IsNew: !e.leaves}
	e.leaves = true
	return d, true
}
