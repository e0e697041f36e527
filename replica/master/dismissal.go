package master

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/session"
)

// Dismiss has a session end when its present lease is over, see session.Table.Dismiss. ok is false also if
// this Master is in no epoch of its own. Nothing is due earlier because of it.
func (m *Master) Dismiss(id api.SessionID) (d session.Dismissal, ok bool) {
	if !m.hasEpoch() {
		return session.Dismissal{}, false
	}
	return m.sessions.Dismiss(id)
}
