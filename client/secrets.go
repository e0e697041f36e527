package client

import (
	"crypto/tls"
	"log/slog"
	"sync"

	"github.com/chubbycell/chubby/internal/transport/rpc"
)

// secrets are the certificates and the token that a Target names. They are read again for a new
// connection if their files have changed, because a program may run for longer than its certificate
// is valid.
type secrets struct {
	target Target
	log    *slog.Logger

	mu                sync.Mutex
	tls               *tls.Config
	token             string
	stampTLS, stampOf string // of the files, when they were last read and good
}

// newSecrets reads the files for the first time.
func newSecrets(t Target, log *slog.Logger) (s *secrets, err error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	s = &secrets{target: t, log: log, stampTLS: stampTLS(t), stampOf: rpc.Stamp(t.TokenFile)}
	if s.tls, err = t.TLS(); err != nil {
		return nil, err
	}
	s.token, err = t.Token()
	return s, err
}

func stampTLS(t Target) string { return rpc.Stamp(t.CA, t.Cert, t.Key) }

// newestTLS returns what the files hold or, while they are bad, what they held before.
func (s *secrets) newestTLS() *tls.Config {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := stampTLS(s.target); now != s.stampTLS {
		if t, err := s.target.TLS(); err != nil {
			s.log.Warn("new certificates are bad: the old ones stay", "err", err)
		} else {
			s.tls, s.stampTLS = t, now
		}
	}
	return s.tls
}

// newestToken returns what the file holds or, while it is bad, what it held before.
func (s *secrets) newestToken() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := rpc.Stamp(s.target.TokenFile); now != s.stampOf {
		if token, err := s.target.Token(); err != nil {
			s.log.Warn("the new token is bad: the old one stays", "err", err)
		} else {
			s.token, s.stampOf = token, now
		}
	}
	return s.token
}
