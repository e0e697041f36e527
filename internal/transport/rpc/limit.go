package rpc

import (
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chubbycell/chubby/internal/transport/refused"
)

// limited is a listener that closes connections beyond a number, so that no machine can take
// all file descriptors of a replica.
type limited struct {
	net.Listener
	most    int64
	open    atomic.Int64
	log     *slog.Logger
	refused refused.Log
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
		conn.Close()
		l.logRefused(conn.RemoteAddr())
	}
}

// logRefused logs that there was no room for a connection; not each time.
func (l *limited) logRefused(remote net.Addr) {
	host, _, err := net.SplitHostPort(remote.String())
	if err != nil {
		host = remote.String()
	}
	if isNews, n := l.refused.Note(host, "", time.Now()); isNews {
		l.log.Error("connection refused: there are too many", "remote", remote.String(), "connections", l.most, "times", n)
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
