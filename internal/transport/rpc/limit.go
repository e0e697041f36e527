package rpc

import (
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
)

// limited is a listener that closes connections beyond a number, so that no machine can take
// all file descriptors of a replica.
type limited struct {
	net.Listener
	most int64
	open atomic.Int64
	log  *slog.Logger
}

// Accept returns the next connection that there is room for.
func (l *limited) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if n := l.open.Add(1); n <= l.most {
			return &counted{Conn: conn, l: l}, nil
		}
		l.open.Add(-1)
		l.log.Error("connection refused: there are too many", "remote", conn.RemoteAddr().String(), "connections", l.most)
		conn.Close()
	}
}

// counted is a connection of a limited listener.
type counted struct {
	net.Conn
	l    *limited
	once sync.Once
}

func (c *counted) Close() error {
	c.once.Do(func() { c.l.open.Add(-1) })
	return c.Conn.Close()
}
