package peer

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"time"
)

// run keeps a connection to the peer until ctx ends.
func (l *link) run(ctx context.Context) {
	pause := l.cfg.timing.backoffMin
	for ctx.Err() == nil {
		own := l.cfg.identity()
		conn, err := l.connect(ctx, own)
		if err == nil {
			l.note(true, nil)
			begun := time.Now()
			err = l.pump(ctx, conn, own)
			conn.Close()
			if errors.Is(err, errUnsaid) {
				continue
			}
			if time.Since(begun) > l.cfg.timing.backoffMax {
				pause = l.cfg.timing.backoffMin
			}
		}
		if ctx.Err() != nil {
			return
		}
		l.note(false, err)
		l.queue.Drop()
		if errors.As(err, new(*refusal)) {
			pause = l.cfg.timing.backoffMax
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause/2 + rand.N(pause/2)):
		}
		pause = min(2*pause, l.cfg.timing.backoffMax)
	}
}

// errUnsaid says that this replica has got an identity since the handshake. The peer must be told of it before anything
// else is.
var errUnsaid = errors.New("this replica has an identity that it has not said")

// mostTold bounds the errors that a link remembers.
const mostTold = 16

// isFirst reports whether an error is to be logged: it was not since the last good connection. The caller holds the lock.
func (l *link) isFirst(text string) bool {
	if l.told[text] {
		return false
	}
	if l.told == nil || len(l.told) >= mostTold {
		l.told = map[string]bool{}
	}
	l.told[text] = true
	return true
}

// isForAnOperator reports whether an error of a connection does not pass by itself: one of the two sides refuses the
// other, its certificate, or its lack of one.
func isForAnOperator(err error) bool {
	var remote *net.OpError
	isAlert := errors.As(err, &remote) && remote.Op == "remote error"
	return isAlert || errors.Is(err, errTLS) || errors.As(err, new(*refusal)) ||
		errors.As(err, new(*tls.CertificateVerificationError)) || errors.As(err, new(tls.RecordHeaderError))
}

// note keeps what Status says, and logs each change once. What an operator must mend is logged as an error, once until
// there was a good connection: with some versions of TLS a refusal comes now as one error, now as another.
func (l *link) note(connected bool, err error) {
	text := ""
	if err != nil {
		text = l.cfg.explain(err)
	}
	l.mu.Lock()
	changed := connected != l.connected || text != l.lastErr
	l.connected, l.lastErr = connected, text
	isLoud := isForAnOperator(err)
	if connected {
		l.told = nil
	}
	if isLoud && changed {
		changed = l.isFirst(text)
	}
	l.mu.Unlock()
	log := l.cfg.Logger.With("peer", l.id, "addr", l.addr)
	switch {
	case !changed:
	case connected:
		log.Info("connected to peer")
	case isLoud:
		log.Error("peer refused, or is not the peer that it should be", "err", text)
	default:
		log.Warn("peer not connected", "err", text)
	}
}

// connect dials and makes the handshake, in an older version if the peer knows no newer one.
func (l *link) connect(ctx context.Context, own Identity) (net.Conn, error) {
	conn, err := l.dial(ctx, version, own)
	if older := (*olderError)(nil); errors.As(err, &older) {
		return l.dial(ctx, older.version, own)
	}
	return conn, err
}

func (l *link) dial(ctx context.Context, v uint16, own Identity) (net.Conn, error) {
	conn, err := l.cfg.timing.reach(ctx, l.addr)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	secured, err := l.secure(ctx, conn, v, own)
	if err != nil {
		conn.Close()
		return nil, err
	}
	return secured, nil
}

func (l *link) secure(ctx context.Context, conn net.Conn, v uint16, own Identity) (net.Conn, error) {
	if err := conn.SetDeadline(time.Now().Add(l.cfg.timing.handshake)); err != nil {
		return nil, err
	}
	switch {
	case l.cfg.TLS != nil:
		t := tls.Client(conn, l.cfg.clientTLS(l.id))
		if err := t.HandshakeContext(ctx); err != nil {
			return nil, fmt.Errorf("TLS handshake: %w", err)
		}
		conn = t
	case !l.cfg.AllowPlain && !isLoopback(conn.RemoteAddr()):
		return nil, refuse("%v is not a loopback address, and connections are plain: configure TLS, or allow plain connections if the network is trusted", conn.RemoteAddr())
	}
	theirs, err := l.cfg.greet(conn, l.id, v, own)
	if err != nil {
		return nil, err
	}
	l.learn(theirs)
	return conn, conn.SetDeadline(time.Time{})
}

// pump sends what is queued until the connection fails, ctx ends, or the identity of this replica is not own any more.
func (l *link) pump(ctx context.Context, conn net.Conn, own Identity) error {
	gone := make(chan error, 1)
	go func() { // ends at the latest when run closes conn
		_, err := conn.Read(make([]byte, 1))
		if err == nil {
			err = errors.New("it sent bytes where none are expected")
		}
		if err == io.EOF {
			err = errors.New("closed by the peer")
		}
		gone <- err
	}()
	idle := time.NewTicker(l.cfg.timing.alive)
	defer idle.Stop()
	w := bufio.NewWriterSize(conn, 64<<10)
	for {
		select {
		case <-ctx.Done():
			_ = l.send(w, conn, l.cfg.timing.flush)
			return nil
		case err := <-gone:
			return err
		case <-l.queue.Wake():
		case <-idle.C:
			if err := writeFrame(w, nil); err != nil {
				return err
			}
		}
		if l.cfg.identity() != own {
			return errUnsaid
		}
		if err := l.send(w, conn, l.cfg.timing.write); err != nil {
			return err
		}
	}
}

// send writes all that is queued, within a time.
func (l *link) send(w *bufio.Writer, conn net.Conn, within time.Duration) error {
	if err := conn.SetWriteDeadline(time.Now().Add(within)); err != nil {
		return err
	}
	for _, d := range l.queue.Take() {
		wire, err := l.translate(d.Wire)
		if err != nil {
			return err
		}
		if err := writeFrame(w, wire); err != nil {
			return err
		}
	}
	return w.Flush()
}
