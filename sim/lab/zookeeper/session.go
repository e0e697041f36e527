package zookeeper

import (
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

// state is what a client thinks of its session.
type state uint8

const (
	connected state = iota
	suspended       // Disconnected: no answer for 2T/3; the session may be over
	lost            // over
)

// session is the client's part of a session. Its state is changed by the thread that reads
// the socket, and is as old as that thread's last turn.
type session struct {
	id    string
	heard time.Time // when the last answered request was sent
	state state
}

// session returns the session of the client's machine when it is connected; it opens one if there
// is none or the last is lost.
func (l *recipe) session(n *lab.Node) *session {
	for {
		s := l.sessions[n.Name()]
		switch {
		case s == nil || s.state == lost:
			sent := n.Now()
			if id, ok := n.Call(ensemble, "connect", timeout/6); ok {
				s = &session{id: id, heard: sent}
				l.sessions[n.Name()] = s
				n.Go("pings", func() { l.ping(n, s) })
				return s
			}
		case s.state == connected:
			return s
		default:
			n.Sleep(timeout / 60)
		}
	}
}

// ping keeps the session alive until it is lost.
func (l *recipe) ping(n *lab.Node, s *session) {
	patience := timeout / 3
	for s.state != lost {
		if s.state == connected {
			n.Sleep(timeout / 3)
			patience = s.heard.Add(2 * timeout / 3).Sub(n.Now())
		}
		sent := n.Now()
		answer, ok := n.Call(ensemble, "ping "+s.id, max(patience, 0))
		silence := n.Now().Sub(s.heard)
		switch {
		case ok && answer == "expired":
			s.state = lost
		case ok:
			s.heard, s.state = sent, connected
		case l.gives > 0 && silence >= l.gives:
			n.Note("takes its session %s for lost, after %v of silence", s.id, l.gives)
			s.state = lost
		case s.state == connected && silence >= 2*timeout/3:
			n.Note("has heard nothing for %v: Disconnected", 2*timeout/3)
			s.state, patience = suspended, timeout/3
		}
	}
}
