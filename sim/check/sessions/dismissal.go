package sessions

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
)

// dismissal is an operator's order to end a session. It holds in one epoch.
type dismissal struct {
	session api.SessionID
	epoch   api.Epoch
}

// OnDismissed reports that a master has taken the order to end a session, whose lease has this end. From now on the
// lease must not move, and the session ends although its KeepAlives come.
func (s *Checker) OnDismissed(id paxos.NodeID, x api.SessionID, lease time.Time) {
	if t := &s.Seats[id]; t.Of != nil {
		s.dismissed[dismissal{x, t.Epoch}] = lease
	}
}

// IsDismissed reports whether the master of an epoch has the order to end a session.
func (s *Checker) IsDismissed(x api.SessionID, e api.Epoch) bool {
	_, is := s.dismissed[dismissal{x, e}]
	return is
}
