package rpc

import (
	"sync/atomic"

	"google.golang.org/grpc"
)

// way is an address, and a client process's connection to it. It connects when it is used.
type way struct {
	c    *Client
	addr string
	conn *grpc.ClientConn
	// handshake is the error of the last TLS handshake; nil: it succeeded, or there was none.
	handshake atomic.Pointer[error]
}

func (c *Client) newWay(addr string) (*way, error) {
	w := &way{c: c, addr: addr}
	var err error
	w.conn, err = grpc.NewClient("passthrough:///"+addr, c.options(w)...)
	return w, err
}

func (w *way) noteHandshake(err error) {
	if err == nil {
		w.handshake.Store(nil)
		return
	}
	w.handshake.Store(&err)
}

// way is the present way to a replica; nil: the replica is unknown.
func (c *Client) way(replica uint32) *way {
	l := c.links[replica]
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.at
}

// Addr is the newest address of a replica; "": none is known.
func (c *Client) Addr(replica uint32) string {
	l := c.links[replica]
	if l == nil {
		return ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.next
}

// Move replaces addresses of replicas, host:port by id, except those of ids that the Client does not have. Streams that are open
// stay; a call that is under way to a replica without a stream may fail with Canceled. It must not be called after
// Close.
func (c *Client) Move(addrs map[uint32]string) {
	for id, addr := range addrs {
		if l := c.links[id]; l != nil {
			l.move(addr)
		}
	}
}
