package zookeeper

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

// recipe is the client's part of the lock.
type recipe struct {
	guid    bool          // looks for its guid when the answer to a create is lost
	owner   bool          // takes only nodes of its present session for its own
	stops   bool          // the application stops when it is Disconnected
	gives   time.Duration // the client takes a session for lost after such a silence; 0: never by itself
	nothing bool          // no token

	sessions map[string]*session // by client
}

// held is the State of a grant.
type held struct {
	session *session
	node    string
}

// Acquire queues up, and waits until the own node is the lowest.
func (l *recipe) Acquire(n *lab.Node) lab.Grant {
	for {
		s, node := l.enter(n)
		if !l.first(n, s, node) {
			continue
		}
		czxid, _, ok := l.stat(n, s, node)
		if !ok {
			continue
		}
		g := lab.Grant{Name: node, State: &held{s, node}}
		if !l.nothing {
			g.Token = czxid
		}
		return g
	}
}

// enter makes a node, and finds the one that it made if it does not hear of it.
func (l *recipe) enter(n *lab.Node) (*session, string) {
	prefix := fmt.Sprintf("%s-lock-", n.Random("guid", 8))
	for again := false; ; again = true {
		s := l.session(n)
		if again && l.guid {
			if node := l.made(n, s, prefix); node != "" {
				return s, node
			}
		}
		if node, ok := l.ask(n, s, "create %s %s", s.id, prefix); ok {
			return s, node
		}
	}
}

// made looks for a node of an earlier try.
func (l *recipe) made(n *lab.Node, s *session, prefix string) string {
	children, _ := l.ask(n, s, "children %s", s.id)
	for _, node := range strings.Fields(children) {
		if !strings.HasPrefix(node, prefix) {
			continue
		}
		_, owner, ok := l.stat(n, s, node)
		switch {
		case ok && owner == s.id || !l.owner:
			n.Note("finds the node %d of its guid, of session %s; its own is %s", sequence(node), owner, s.id)
			return node
		case ok:
			n.Note("finds a node of its guid and of an old session, and deletes it")
			l.ask(n, s, "delete %s %s", s.id, node)
		}
	}
	return ""
}

// first waits until the node is the lowest; false: the node or the session is gone.
func (l *recipe) first(n *lab.Node, s *session, node string) bool {
	for s.state != lost {
		answer, ok := l.ask(n, s, "children %s", s.id)
		if !ok {
			n.Sleep(timeout / 60)
			continue
		}
		children := strings.Fields(answer)
		slices.SortFunc(children, func(a, b string) int { return sequence(a) - sequence(b) })
		switch i := slices.Index(children, node); i {
		case -1:
			return false
		case 0:
			return true
		default:
			l.ask(n, s, "watch %s %s", s.id, children[i-1])
		}
	}
	return false
}

// ask sends a request of a session. It fails if there is no answer in time, and if the
// session is over.
func (l *recipe) ask(n *lab.Node, s *session, format string, args ...any) (string, bool) {
	answer, ok := n.Call(ensemble, fmt.Sprintf(format, args...), 2*timeout/3)
	if ok && answer == "expired" {
		s.state = lost
		return "", false
	}
	return answer, ok
}

// stat asks who made a node, and with which transaction.
func (l *recipe) stat(n *lab.Node, s *session, node string) (czxid uint64, owner string, ok bool) {
	answer, ok := l.ask(n, s, "stat %s %s", s.id, node)
	text, owner, _ := strings.Cut(answer, " ")
	czxid, err := strconv.ParseUint(text, 10, 64)
	return czxid, owner, ok && err == nil && czxid > 0
}

// Valid goes by the state of the session, as its thread last left it.
func (l *recipe) Valid(_ *lab.Node, g *lab.Grant) bool {
	s := g.State.(*held).session
	return s.state == connected || s.state == suspended && !l.stops
}

// Left goes by the last answer, on the client's clock.
func (l *recipe) Left(n *lab.Node, g *lab.Grant) time.Duration {
	return g.State.(*held).session.heard.Add(timeout).Sub(n.Now())
}

// Release deletes the node.
func (l *recipe) Release(n *lab.Node, g *lab.Grant) {
	h := g.State.(*held)
	for h.session.state != lost {
		if _, ok := l.ask(n, h.session, "delete %s %s", h.session.id, h.node); ok {
			return
		}
	}
}

// Ask lets a resource look whether the node of a grant is there, with a session of its own.
func (l *recipe) Ask(n *lab.Node, g *lab.Grant) bool {
	_, _, ok := l.stat(n, l.session(n), g.Name)
	return ok
}

// sequence is the number at the end of a node's name. Names of different guids sort by
// nothing else.
func sequence(node string) int {
	n, err := strconv.Atoi(node[max(len(node)-10, 0):])
	if err != nil {
		panic("a node without a sequence number: " + node)
	}
	return n
}
