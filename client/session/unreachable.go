package session

import "time"

// OnUnreachable handles a hint of the transport: the process of the replica has ended or its
// connection broke, so messages that it has not answered are probably lost. The machine turns to
// another replica, and resends after the pause that follows a refusal. It also moves a KeepAlive
// that the replica was to hold. Without the hint, an idle client would learn of a master's death
// only when the answer is overdue, most of a lease later, and the next master would wait for that
// client.
//
// The hint may be wrong, and may come at any time and any number of times. It decides nothing about
// calls and leases, and answers to earlier sendings still count: a hint costs only requests.
func (m *Machine) OnUnreachable(now time.Time, replica uint32) {
	m.advanceLease(now)
	m.route.leave(replica)
	m.forgetLeaseMaster(replica)
	for _, c := range []*call{m.opener, m.keep} {
		if c != nil {
			m.onSendingLost(now, replica, c)
		}
	}
	for _, c := range m.flight {
		m.onSendingLost(now, replica, c)
	}
	m.resendStale(now)
}

// onSendingLost resends c soon if its newest sending went to the replica. The pauses grow like
// those after refusals, so that a replica that is down cannot make a client spin. A KeepAlive that
// was held begins with a long pause: the many idle clients of a cell must not all ask at once for a
// master that is not elected yet.
func (m *Machine) onSendingLost(now time.Time, replica uint32, c *call) {
	if c.id == 0 || c.to != replica {
		return
	}
	if c.heldByMaster {
		c.heldByMaster, c.refused = false, max(c.refused, searchLevel)
	}
	c.id, c.masterRefused = 0, false
	c.due = now.Add(m.cfg.searchPause(c.refused))
	c.refused++
}
