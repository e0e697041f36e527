package etcd

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

const (
	patience = 500 * time.Millisecond // for an answer
	long     = 5 * time.Second        // for the event of a watch
)

// session is a lease that is renewed.
type session struct {
	id    string
	heard time.Time // when the last renewal that was answered was sent
	done  bool      // Done() is closed
}

// open grants a lease, and renews it until it is closed or lost.
func (l *mutex) open(n *lab.Node) *session {
	if l.shared != nil {
		return l.shared
	}
	for {
		sent := n.Now()
		id, ok := l.ask(n, patience, "grant %d", l.ttl.Milliseconds())
		if !ok {
			continue
		}
		s := &session{id: id, heard: sent}
		n.Go("keepalive", func() { l.keep(n, s) })
		if l.one {
			l.shared = s
		}
		return s
	}
}

func (l *mutex) keep(n *lab.Node, s *session) {
	for !s.done {
		n.Sleep(l.ttl / 3)
		for !s.done {
			sent := n.Now()
			answer, ok := l.ask(n, patience, "keepalive %s", s.id)
			if ok && answer == "ok" {
				s.heard = sent
				break
			}
			s.done = s.done || ok || n.Now().Sub(s.heard) >= l.ttl
		}
	}
}

// close revokes the lease.
func (l *mutex) close(n *lab.Node, s *session) {
	for s.done = true; ; {
		if _, ok := l.ask(n, patience, "revoke %s", s.id); ok {
			return
		}
	}
}

// ask sends a request to the server that the client takes for the leader, and follows hints. If
// no answer comes it turns to the next server for the time to come.
func (l *mutex) ask(n *lab.Node, patience time.Duration, format string, args ...any) (string, bool) {
	for range l.nodes {
		answer, ok := n.Call(l.nodes[l.at[n.Name()]], fmt.Sprintf(format, args...), patience)
		hint, refused := strings.CutPrefix(answer, "leader ")
		switch {
		case !ok:
			l.at[n.Name()] = (l.at[n.Name()] + 1) % len(l.nodes)
			return "", false
		case !refused:
			return answer, true
		}
		l.at[n.Name()] = slices.Index(l.nodes, hint)
	}
	n.Sleep(beat)
	return "", false
}
