package peer

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"time"

	"github.com/chubbycell/chubby/paxos"
)

// listen accepts connections until the listener is closed, or ctx ends.
func (t *Transport) listen(ctx context.Context) {
	pause := 5 * time.Millisecond
	for {
		conn, err := t.cfg.Listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // out of file descriptors, for instance
			t.cfg.Logger.Error("no connection accepted", "err", err)
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause):
			}
			pause = min(2*pause, time.Second)
			continue
		}
		pause = 5 * time.Millisecond
		if !t.admit(conn) {
			conn.Close()
			continue
		}
		t.wg.Go(func() {
			defer t.leave(conn)
			t.receive(conn)
		})
	}
}

// admit notes a connection, unless there are too many.
func (t *Transport) admit(conn net.Conn) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.accepted); t.closed || n >= t.cfg.timing.maxAccepted {
		if !t.closed {
			t.logTooMany(conn.RemoteAddr(), n)
		}
		return false
	}
	t.accepted[conn] = true
	return true
}

func (t *Transport) leave(conn net.Conn) {
	conn.Close()
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.accepted, conn)
	for id, c := range t.newest {
		if c == conn {
			delete(t.newest, id)
		}
	}
}

// receive makes the handshake, and delivers what comes until the connection ends.
func (t *Transport) receive(raw net.Conn) {
	log := t.cfg.Logger.With("remote", raw.RemoteAddr().String())
	conn, from, err := t.welcome(raw)
	switch {
	case errors.Is(err, io.EOF): // a port scan, or a health check
		log.Debug("connection without a handshake")
		return
	case err != nil:
		t.logRefused(raw.RemoteAddr(), err)
		return
	}
	t.refused.Forget(hostOf(raw.RemoteAddr().String()))
	t.replace(from, raw)
	log.Info("connection of peer accepted", "peer", from)
	r := bufio.NewReaderSize(conn, 64<<10)
	for {
		if err = conn.SetReadDeadline(time.Now().Add(t.cfg.timing.silence)); err != nil {
			break
		}
		var wire []byte
		if wire, err = readFrame(r, t.cfg.MaxFrame); err != nil {
			break
		}
		if wire != nil {
			t.cfg.Deliver(from, wire)
		}
	}
	if !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) {
		log.Warn("connection of peer ended", "peer", from, "err", err)
	}
}

// replace closes an earlier connection of the same peer, which is the one that it gave up.
func (t *Transport) replace(from paxos.NodeID, conn net.Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if old := t.newest[from]; old != nil {
		old.Close()
	}
	t.newest[from] = conn
}

// welcome makes the handshake of a connection from another replica, and names it.
func (t *Transport) welcome(conn net.Conn) (net.Conn, paxos.NodeID, error) {
	if err := conn.SetDeadline(time.Now().Add(t.cfg.timing.handshake)); err != nil {
		return nil, 0, err
	}
	var cert *tls.ConnectionState
	if t.cfg.TLS != nil {
		secured := tls.Server(conn, t.cfg.serverTLS())
		if err := secured.Handshake(); err != nil {
			return nil, 0, err
		}
		state := secured.ConnectionState()
		conn, cert = secured, &state
	}
	h, err := readHello(conn)
	if err != nil {
		return nil, 0, err
	}
	if err = t.cfg.check(h); err == nil && cert != nil {
		if bad := cert.PeerCertificates[0].VerifyHostname(MemberName(t.cfg.Cell, h.from)); bad != nil {
			err = refuse("replica %d does not prove who it is: %v", h.from, bad)
		}
	}
	if err == nil && cert == nil && !t.cfg.AllowPlain && !isLoopback(conn.RemoteAddr()) {
		err = refuse("%v is not a loopback address, and connections are plain", conn.RemoteAddr())
	}
	if err == nil {
		err = t.cfg.meets(h.from, h.disk)
	}
	a := answer{version: min(max(h.version, oldest), version), id: t.cfg.Self, cell: t.cfg.Cell, disk: t.cfg.Disk}
	if err != nil {
		a.reason = err.Error()
	}
	if bad := a.write(conn); err == nil {
		err = bad
	}
	return conn, h.from, err
}
