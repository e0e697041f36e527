package peer

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"slices"
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

// admit notes a connection. If there are too many, it takes the place of the oldest one that has made no handshake:
// a member needs a few milliseconds for its own, so strangers that say nothing do not keep it out.
func (t *Transport) admit(conn net.Conn) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return false
	}
	if n := len(t.accepted); n >= t.cfg.timing.maxAccepted {
		if len(t.unproven) == 0 {
			t.logTooMany(conn.RemoteAddr(), n)
			return false
		}
		oldest := t.unproven[0]
		t.logTooMany(oldest.RemoteAddr(), n)
		oldest.Close()
		delete(t.accepted, oldest)
		t.forgetUnproven(oldest)
	}
	t.accepted[conn] = true
	t.unproven = append(t.unproven, conn)
	return true
}

// forgetUnproven notes that a connection has made its handshake, or has ended. The caller holds the lock.
func (t *Transport) forgetUnproven(conn net.Conn) {
	t.unproven = slices.DeleteFunc(t.unproven, func(c net.Conn) bool { return c == conn })
}

func (t *Transport) leave(conn net.Conn) {
	conn.Close()
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.accepted, conn)
	t.forgetUnproven(conn)
	for id, c := range t.newest {
		if c == conn {
			delete(t.newest, id)
		}
	}
}

// receive makes the handshake, and delivers what comes until the connection ends.
func (t *Transport) receive(raw net.Conn) {
	log := t.cfg.Logger.With("remote", raw.RemoteAddr().String())
	conn, from, told, err := t.welcome(raw)
	switch {
	case errors.Is(err, net.ErrClosed): // it made room for another one, or the Transport is closed
		return
	case errors.Is(err, io.EOF): // a port scan, or a health check
		log.Debug("connection without a handshake")
		return
	case err != nil:
		t.logRefused(raw.RemoteAddr(), err)
		return
	}
	t.refused.Forget(hostOf(raw.RemoteAddr().String()))
	t.replace(from, raw)
	r := bufio.NewReaderSize(conn, 64<<10)
	for first := true; ; first = false {
		if err = conn.SetReadDeadline(time.Now().Add(t.cfg.timing.silence)); err != nil {
			break
		}
		var wire []byte
		if wire, err = readFrame(r, t.cfg.MaxFrame); err != nil {
			break
		}
		if foreign := t.cfg.isOf(from, told); foreign != nil { // this replica had no identity at the handshake
			t.logRefused(raw.RemoteAddr(), foreign)
			return
		}
		if first { // a peer that refuses this replica's disk makes the handshake, and hangs up, again and again
			log.Info("connection of peer accepted", "peer", from)
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
	t.forgetUnproven(conn)
	if old := t.newest[from]; old != nil {
		old.Close()
	}
	t.newest[from] = conn
}

// welcome makes the handshake of a connection from another replica, and names it and the identity that it said.
func (t *Transport) welcome(conn net.Conn) (net.Conn, paxos.NodeID, Identity, error) {
	if err := conn.SetDeadline(time.Now().Add(t.cfg.timing.handshake)); err != nil {
		return nil, 0, 0, err
	}
	var cert *tls.ConnectionState
	if t.cfg.TLS != nil {
		secured := tls.Server(conn, t.cfg.serverTLS())
		if err := secured.Handshake(); err != nil {
			return nil, 0, 0, err
		}
		state := secured.ConnectionState()
		conn, cert = secured, &state
	}
	h, err := readHello(conn)
	if err != nil {
		return nil, 0, 0, err
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
		err = t.cfg.fit(h.from, h.formats)
	}
	if err == nil {
		err = t.cfg.isOf(h.from, h.identity)
	}
	if err == nil {
		err = t.cfg.meets(h.from, h.disk)
	}
	a := answer{version: min(max(h.version, oldest), version), id: t.cfg.Self, cell: t.cfg.Cell, disk: t.cfg.Disk, identity: t.cfg.identity(), formats: t.cfg.Formats}
	if err != nil {
		a.reason = err.Error()
	}
	if bad := a.write(conn); err == nil {
		err = bad
	}
	return conn, h.from, h.identity, err
}
