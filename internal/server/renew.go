package server

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chubbycell/chubby/internal/transport/rpc"
)

// renewEvery is how often the files of certificates and tokens are looked at.
const renewEvery = time.Second

// secrets are the certificates and tokens of a server, as they were read last.
type secrets struct {
	peers, clients atomic.Pointer[credentials] // never nil when they were read

	mu     sync.Mutex // one renewal at a time
	groups []*secretGroup
}

// secretGroup is files that are read together.
type secretGroup struct {
	name  string
	files []string
	read  func() error // reads them and, if they are good, has them used
	used  string       // the stamp of the files when they were read last, good or bad
	seen  string       // the stamp when they were looked at last
	bad   atomic.Bool  // as they were read last
	told  string       // the stamp and the fault of bad files that the log has; empty: they were good
}

// isDue looks at the files, and reports whether they are to be read: they have changed, and have then stayed as they are
// from one look to the next, so a file that is being written is not read. Bad ones are read at each look: rights can be
// mended, and a failed read can be over, without a change of the stamp.
func (g *secretGroup) isDue() bool {
	was, now := g.seen, rpc.Stamp(g.files...)
	g.seen = now
	return now == was && (now != g.used || g.bad.Load())
}

// newSecrets reads all secrets of a configuration.
func (s *Server) newSecrets() error {
	c, x := &s.cfg, &s.secrets
	x.groups = []*secretGroup{
		{name: "peer_cert, peer_key, peer_ca", files: []string{c.PeerCert, c.PeerKey, c.PeerCA}, read: func() error {
			return renew(&x.peers, c.peerCredentials)
		}},
		{name: "server_cert, server_key, client_ca", files: []string{c.ServerCert, c.ServerKey, c.ClientCA}, read: func() error {
			return renew(&x.clients, c.clientCredentials)
		}},
		{name: "token_file", files: []string{c.TokenFile}, read: func() error {
			t, err := c.tokens()
			if err == nil && s.clients != nil {
				s.clients.SetTokens(t)
			}
			return err
		}},
	}
	var faults []error
	for _, g := range x.groups {
		g.used = rpc.Stamp(g.files...)
		g.seen = g.used
		faults = append(faults, g.read())
	}
	return errors.Join(faults...)
}

func renew(p *atomic.Pointer[credentials], read func() (*credentials, error)) error {
	x, err := read()
	if err == nil {
		p.Store(x)
	}
	return err
}

// peerTLS is what members prove themselves with from the next connection on; nil: plain.
func (x *secrets) peerTLS() *tls.Config { return x.peers.Load().tls }

// clientTLS is what clients see from the next connection on; nil: plain.
func (x *secrets) clientTLS() *tls.Config { return x.clients.Load().tls }

// Reload reads the files of certificates and tokens again. Those that are good are used from the
// next connection on, and the connections of clients whose token is gone end. Where a file is
// bad, the old ones stay; the error, which is logged too, says why.
func (s *Server) Reload() error { return s.reload(true) }

// renewChanged reads those files again that are due. The log has the fault of bad ones once.
func (s *Server) renewChanged() error { return s.reload(false) }

func (s *Server) reload(isOrder bool) error {
	s.secrets.mu.Lock()
	defer s.secrets.mu.Unlock()
	var faults []error
	for _, g := range s.secrets.groups {
		if g.files[0] == "" || !isOrder && !g.isDue() {
			continue
		}
		g.used = rpc.Stamp(g.files...)
		err := g.read()
		g.bad.Store(err != nil)
		if err != nil {
			if fault := g.used + err.Error(); isOrder || fault != g.told {
				g.told = fault
				s.log.Error("the old ones stay: new files are bad", "files", g.name, "err", err)
			}
			faults = append(faults, err)
			continue
		}
		g.told = ""
		s.log.Info("files were read again", "files", g.name)
	}
	return errors.Join(faults...)
}

// renewSecrets looks at the files until the server stops, and at the certificates that are used.
func (s *Server) renewSecrets() {
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	told := expiryLog{}
	for {
		for _, e := range told.due(s.secrets.expiries(), time.Now()) {
			switch now := time.Now(); e.age(now) {
			case early:
				s.log.Error("a certificate is not valid yet: new connections fail; see the clock of this machine, and its file", "key", e.key, "not_before", e.from.UTC(), "clock", now.UTC())
			case expired:
				s.log.Error("a certificate has expired: new connections fail until its file is replaced", "key", e.key, "not_after", e.at.UTC())
			case due:
				s.log.Warn("a certificate expires soon: replace its file before", "key", e.key, "not_after", e.at.UTC())
			}
		}
		select {
		case <-s.quit:
			return
		case <-tick.C:
			_ = s.renewChanged() // it is logged
		}
	}
}

// expiryLogEvery is how often the log has it that a certificate is not valid yet, expires, or has expired.
const expiryLogEvery = 12 * time.Hour

// expiryLog is when the log was told of each certificate, so that it is told of one when it is early, when it becomes
// due, when it has expired, and from then on rarely.
type expiryLog map[expiry]struct {
	last time.Time
	age  age
}

// due are those that the log is to have now. Of others than all it forgets what it was told.
func (l expiryLog) due(all []expiry, now time.Time) (tell []expiry) {
	for e := range l {
		if !slices.Contains(all, e) {
			delete(l, e)
		}
	}
	for _, e := range all {
		was, known := l[e]
		age := e.age(now)
		if age == good || known && was.age == age && now.Sub(was.last) < expiryLogEvery {
			continue
		}
		was.last, was.age = now, age
		l[e] = was
		tell = append(tell, e)
	}
	return tell
}

// expiry is from when until when a certificate of this replica, or an authority that it accepts, is valid.
type expiry struct {
	key      string // of the configuration
	from, at time.Time
}

// renewWithin is how long before its end a certificate should have been renewed. A certificate that
// lives for less than four weeks should have been renewed in the last quarter of its life: programs
// that issue certificates for a day renew them when a third is left.
const renewWithin = 7 * 24 * time.Hour

// age is where in its life a certificate is.
type age int

const (
	good    age = iota
	early       // it is not valid yet, by the clock of this machine
	due         // it should have been renewed
	expired     // it is not valid any more
)

// age is where in its life the certificate is.
func (e expiry) age(now time.Time) age {
	switch left := e.at.Sub(now); {
	case now.After(e.at):
		return expired
	case now.Before(e.from):
		return early
	case left < min(renewWithin, e.at.Sub(e.from)/4):
		return due
	}
	return good
}

// expiryOf is from when until when a certificate of a key is valid.
func expiryOf(key string, c *x509.Certificate) expiry { return expiry{key, c.NotBefore, c.NotAfter} }

// expiries are those of the certificates that are used now.
func (x *secrets) expiries() []expiry {
	return slices.Concat(x.peers.Load().ends, x.clients.Load().ends)
}

// warnings are what an operator has to know of them, in sentences. They have no reasons, which may name principals.
func (x *secrets) warnings(now time.Time) (told []string) {
	for _, g := range x.groups {
		if g.bad.Load() {
			told = append(told, fmt.Sprintf("New files of %s are bad, and the old ones stay in use until this replica stops: the log of this replica says why.", g.name))
		}
	}
	return append(told, expiryWarnings(x.expiries(), now)...)
}

// Warnings are what CheckFiles does not refuse and an operator should know before the start, in sentences:
// certificates and authorities that are not valid yet, have expired, or should be renewed.
func (c *Config) Warnings() []string {
	var ends []expiry
	for _, read := range []func() (*credentials, error){c.peerCredentials, c.clientCredentials} {
		if x, err := read(); err == nil { // CheckFiles tells of errors
			ends = append(ends, x.ends...)
		}
	}
	return expiryWarnings(ends, time.Now())
}
