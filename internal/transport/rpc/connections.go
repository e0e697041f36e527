package rpc

import (
	"container/list"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/chubbycell/chubby/internal/transport/refused"
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
	open     map[*connection]bool
	unproven list.List // of *connection, the oldest first
}

// connection is one that a listener accepted. To gRPC it is a net.Conn.
type connection struct {
	net.Conn
	all *connections
	// place is where it stands among the unproven ones. It stays when the connection is no longer there.
	place *list.Element
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
	return &connections{most: most, log: log, open: map[*connection]bool{}}
}

// forget takes a connection out. The caller holds the lock.
func (t *connections) forget(c *connection) {
	delete(t.open, c)
	t.unproven.Remove(c.place) // nothing, if it is not there
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
	c := &connection{Conn: conn, all: t}
	c.place = t.unproven.PushBack(c)
	t.open[c] = true
	return c
}

// prove notes that the caller of a call from an address, which is an origin, was authenticated.
func (t *connections) prove(from net.Addr) {
	if o, ok := from.(origin); ok {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.unproven.Remove(o.conn.place)
	}
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
