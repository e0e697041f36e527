package lockfile

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

const (
	host     = "nfs"
	name     = "lock"
	breaking = "lock.breaking" // of a careful breaker
	poll     = time.Second
	moment   = 50 * time.Millisecond // between the look of a breaker and its deed: a script starts rm
)

// mode is what open(O_CREAT|O_EXCL) is on the wire.
type mode uint8

const (
	exclusive mode = iota // CREATE with a verifier: the server knows a call that comes again
	guarded               // CREATE that fails where there is a file
	looking               // LOOKUP, then CREATE: NFSv2, and clients that fall back to it
	linking               // not open, but a file of its own, link, and a look at the number of links
)

// lock is the client's part.
type lock struct {
	rpc
	mode    mode
	stale   time.Duration // S, after which a breaker takes the file for stale; 0: there is no breaker
	careful bool          // a breaker takes a lock file for breaking first, and looks again
	tries   int
}

// Acquire makes the file.
func (l *lock) Acquire(n *lab.Node) lab.Grant {
	for {
		l.tries++
		g := lab.Grant{Name: fmt.Sprintf("%s-%d", n.Name(), l.tries)}
		if l.create(n, name, g.Name) {
			return g
		}
		if l.stale == 0 || !l.broken(n) {
			n.Sleep(poll)
		}
	}
}

// create reports that this client made the file.
func (l *lock) create(n *lab.Node, name, owner string) bool {
	switch l.mode {
	case guarded:
		return l.call(n, "GUARDED %s %s", name, owner) == "ok"
	case looking:
		_, found := l.stat(n, name)
		return !found && l.call(n, "UNCHECKED %s %s", name, owner) == "ok"
	case linking:
		own := name + "." + owner
		l.call(n, "UNCHECKED %s %s", own, owner)
		l.call(n, "LINK %s %s", own, name) // its answer may be that of a call that came again
		a, _ := l.stat(n, own)
		l.call(n, "REMOVE %s", own)
		return a.links == 2
	}
	return l.call(n, "EXCLUSIVE %s %s %s", name, owner, n.Random("verifier", 8)) == "ok"
}

// broken reports that the file was gone, or was stale and is removed.
func (l *lock) broken(n *lab.Node) bool {
	a, found := l.stat(n, name)
	if !found || !l.old(n, a) {
		return !found
	}
	n.Note("finds the file of %s stale", a.owner)
	n.Sleep(moment)
	if !l.careful {
		l.call(n, "REMOVE %s", name)
		return true
	}
	if !l.create(n, breaking, n.Name()) {
		return false
	}
	if a, found = l.stat(n, name); found && l.old(n, a) {
		l.call(n, "REMOVE %s", name)
	}
	l.call(n, "REMOVE %s", breaking)
	return true
}

// old compares this client's clock with the server's, which set the time of the file.
func (l *lock) old(n *lab.Node, a attributes) bool { return n.Wall().Sub(a.mtime) > l.stale }

// Valid has nothing to go by: a holder is not told.
func (l *lock) Valid(*lab.Node, *lab.Grant) bool { return true }

// Release removes the file, be it another holder's by now.
func (l *lock) Release(n *lab.Node, _ *lab.Grant) { l.call(n, "REMOVE %s", name) }

// Ask lets a resource read the file.
func (l *lock) Ask(n *lab.Node, g *lab.Grant) bool {
	a, found := l.stat(n, name)
	return found && a.owner == g.Name
}
