package etcd

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

// tokens is what a client hands to the resource.
type tokens uint8

const (
	noTokens tokens = iota
	headers         // Mutex.Header().Revision
	creates         // create revision of the own key
)

// mutex is the client's part of the lock.
type mutex struct {
	ttl    time.Duration
	checks bool // reads its own key in the end (3.5.0, #11456)
	token  tokens
	one    bool          // one session for all
	closes bool          // closes its session when a call to Lock has failed
	within time.Duration // a call to Lock fails after so long, and takes its key back; 0: never

	nodes  []string
	votes  *votes         // for scripts
	at     map[string]int // by client: the server it turns to
	shared *session
}

// held is the State of a grant.
type held struct{ session *session }

// patient is how long a program waits for the transaction before it starts from the beginning.
const patient = time.Second

// Acquire opens a session, and waits for its turn.
func (l *mutex) Acquire(n *lab.Node) lab.Grant {
	for {
		s := l.open(n)
		own, first, header, ok := l.enter(n, s)
		if !ok {
			if l.closes {
				l.close(n, s)
			}
			continue
		}
		if first != own {
			if header, ok = l.wait(n, own); !ok {
				l.ask(n, patience, "delete %s", s.id)
				s.done = true
				continue
			}
		}
		if l.checks {
			if header, ok = l.owns(n, s); !ok {
				n.Note("finds its own key gone: session expired; starts anew")
				s.done = true
				continue
			}
		}
		return lab.Grant{Token: [...]uint64{0, header, own}[l.token], Name: s.id, State: held{s}}
	}
}

// enter is the transaction. To send it again is harmless: the key has the name of the lease.
func (l *mutex) enter(n *lab.Node, s *session) (own, first, header uint64, ok bool) {
	for until := n.Now().Add(patient); n.Now().Before(until); {
		answer, ok := l.ask(n, patience, "txn %s", s.id)
		if ok {
			_, err := fmt.Sscanf(answer, "%d %d %d", &own, &first, &header)
			return own, first, header, err == nil
		}
	}
	n.Note("has no answer to its transaction, and starts anew")
	return 0, 0, 0, false
}

// wait returns when no key is left that was created before the own one, or patience is at an end. It
// looks at the keys of others only.
func (l *mutex) wait(n *lab.Node, own uint64) (header uint64, ok bool) {
	for began := n.Now(); l.within == 0 || n.Now().Sub(began) < l.within; {
		var key string
		if answer, ok := l.ask(n, patience, "below %d", own); ok {
			if _, err := fmt.Sscanf(answer, "%s %d", &key, &header); err != nil {
				panic("not an answer: " + answer)
			}
			if key == "-" {
				return header, true
			}
			l.ask(n, long, "watch %s", key)
		}
	}
	return 0, false
}

// owns reads the own key.
func (l *mutex) owns(n *lab.Node, s *session) (header uint64, owns bool) {
	for {
		if answer, ok := l.ask(n, patience, "get %s", s.id); ok {
			var created uint64
			_, err := fmt.Sscanf(answer, "%d %d", &created, &header)
			return header, err == nil && created > 0
		}
	}
}

// Valid looks whether Done() is closed.
func (l *mutex) Valid(_ *lab.Node, g *lab.Grant) bool { return !g.State.(held).session.done }

// Left goes by the last renewal that was answered, on the client's clock.
func (l *mutex) Left(n *lab.Node, g *lab.Grant) time.Duration {
	return g.State.(held).session.heard.Add(l.ttl).Sub(n.Now())
}

// Release deletes the key, and closes the session unless others use it.
func (l *mutex) Release(n *lab.Node, g *lab.Grant) {
	for {
		if _, ok := l.ask(n, patience, "delete %s", g.Name); ok {
			break
		}
	}
	if !l.one {
		l.close(n, g.State.(held).session)
	}
}

// Ask lets a resource look whether the key of a grant is there.
func (l *mutex) Ask(n *lab.Node, g *lab.Grant) bool {
	_, owns := l.owns(n, &session{id: g.Name})
	return owns
}
