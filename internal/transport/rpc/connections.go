package rpc

import (
	"container/list"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/chubbycell/chubby/internal/transport/refused"
	"github.com/chubbycell/chubby/replica/api"
)

// connections are those that are open to a Server. There are so many at most, so that no machine can take all file
// descriptors of a replica. A connection is proven from its first call whose caller was authenticated: unproven ones
// make room for new ones, so strangers do not keep clients out, and a stop does not wait for them. Its methods are safe
// for concurrent use.
type connections struct {
	most    int
	log     *slog.Logger
	refused refused.Log

	mu       sync.Mutex
	stopped  bool
	last     uint64 // the newest one
	open     map[*connection]bool
	proven   tally
	unproven list.List // of *connection, the oldest first
}

// connection is one that a listener accepted. To gRPC it is a net.Conn.
type connection struct {
	net.Conn
	all *connections
	// place is where it stands among the unproven ones. It stays when the connection is no longer there.
	place *list.Element
	// number is higher than those of older ones, and who is the principal that has proven it, or "".
	number uint64
	who    api.Principal
}

// Close closes the connection, and makes room for another one.
func (c *connection) Close() error {
	c.all.mu.Lock()
	c.all.forget(c)
	c.all.mu.Unlock()
	return c.Conn.Close()
}

// RemoteAddr is an origin: the peer of a call has the address, and nothing else of its connection.
func (c *connection) RemoteAddr() net.Addr { return origin{c.Conn.RemoteAddr(), c} }

// origin is the address of the other end of a connection, and the connection.
type origin struct {
	net.Addr
	conn *connection
}

func newConnections(most int, log *slog.Logger) *connections {
	return &connections{most: most, log: log, open: map[*connection]bool{}, proven: tally{}}
}

// forget takes a connection out. The caller holds the lock.
func (t *connections) forget(c *connection) {
	if !t.open[c] {
		return
	}
	delete(t.open, c)
	if t.unproven.Remove(c.place); c.who != "" { // nothing, if it is not there
		t.proven.add(c.who, -1)
	}
}

// admit notes a connection. If there are too many, it takes the place of the oldest unproven one: a client needs a few
// round trips to open its stream. It returns nil if all are proven, or the Server stops.
func (t *connections) admit(conn net.Conn) *connection {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped {
		return nil
	}
	if len(t.open) >= t.most {
		oldest := t.unproven.Front()
		if oldest == nil {
			t.logTooMany(conn.RemoteAddr())
			return nil
		}
		c := oldest.Value.(*connection)
		t.logTooMany(c.Conn.RemoteAddr())
		t.forget(c)
		c.Conn.Close()
	}
	t.last++
	c := &connection{Conn: conn, all: t, number: t.last}
	c.place = t.unproven.PushBack(c)
	t.open[c] = true
	return c
}

// mostProven is how many connections are proven at most.
func (t *connections) mostProven() int { return max(1, t.most-max(1, t.most/8)) }

// prove notes that the caller of a call from an address, which is an origin, was authenticated. It returns false if too
// many connections are proven, and no principal has more of them than this one.
func (t *connections) prove(from net.Addr, who api.Principal) bool {
	o, ok := from.(origin)
	if !ok {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if o.conn.who != "" || !t.open[o.conn] { // proven, or closed meanwhile
		return true
	}
	if len(t.open)-t.unproven.Len() >= t.mostProven() {
		most, ok := t.proven.aboveAll(who)
		if !ok {
			return false
		}
		c := t.newestOf(most)
		t.logTooMany(c.Conn.RemoteAddr())
		t.forget(c)
		c.Conn.Close()
	}
	o.conn.who = who
	t.proven.add(who, 1)
	t.unproven.Remove(o.conn.place)
	return true
}

// newestOf is the newest connection of a principal that has proven one. The caller holds the lock.
func (t *connections) newestOf(who api.Principal) (newest *connection) {
	for c := range t.open {
		if c.who == who && (newest == nil || c.number > newest.number) {
			newest = c
		}
	}
	return newest
}

// stop closes the unproven connections, and has no more admitted. gRPC waits for handshakes when it stops.
func (t *connections) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopped = true
	for e := t.unproven.Front(); e != nil; e = t.unproven.Front() {
		c := e.Value.(*connection)
		t.forget(c)
		c.Conn.Close()
	}
}

// logTooMany logs that a connection is closed, for there are too many; not each time.
func (t *connections) logTooMany(remote net.Addr) {
	host, _, err := net.SplitHostPort(remote.String())
	if err != nil {
		host = remote.String()
	}
	if isNews, n, _ := t.refused.Note(host, "", time.Now()); isNews {
		t.log.Error("connection closed: there are too many", "remote", remote.String(), "connections", t.most, "times", n)
	}
}

// listener is a net.Listener whose connections are noted.
type listener struct {
	net.Listener
	all *connections
}

// Accept returns the next connection that is admitted.
func (l listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if c := l.all.admit(conn); c != nil {
			return c, nil
		}
		conn.Close()
	}
}
