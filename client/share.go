package client

import (
	"cmp"
	"crypto/tls"
	"encoding/json"
	"log/slog"
	"net"
	"sync"

	"github.com/chubbycell/chubby/internal/transport/rpc"
)

// The Clients that Dial makes in one process for the same cell, with the same proof of identity,
// share their connections: one to each replica.

// shareKey is what Clients that share connections have in common.
type shareKey struct {
	target           string // in JSON
	cell             string // of an option
	principal, token string // of options
	allowPlain       bool
	tls              *tls.Config
	logger           *slog.Logger
	resolver         *net.Resolver
	file             string // that is read again
}

// connections are those of one key. They exist as long as a Client uses them.
type connections struct {
	*rpc.Client
	again *refresher // nil: the addresses stay
	key   shareKey
	refs  int // under shares.mu; negative: one Client owns them, and they are not shared
}

// shares are the shared connections of this process.
var shares = struct {
	mu    sync.Mutex
	byKey map[shareKey]*connections
}{byKey: map[shareKey]*connections{}}

// connect returns connections for a Client: existing ones, or new ones.
func connect(t Target, o dialOptions, cell string) (*connections, error) {
	text, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	key := shareKey{
		target: string(text), cell: cell, principal: o.principalOf(t), token: o.token,
		allowPlain: o.allowPlain, tls: o.tls, logger: o.logger, resolver: o.resolver, file: o.file,
	}
	if o.alone {
		s, err := newConnections(t, o, cell)
		if err == nil {
			s.refs = -1
		}
		return s, err
	}
	shares.mu.Lock()
	defer shares.mu.Unlock()
	s := shares.byKey[key]
	if s == nil {
		if s, err = newConnections(t, o, cell); err != nil {
			return nil, err
		}
		s.key = key
		shares.byKey[key] = s
	}
	s.refs++
	return s, nil
}

// release closes the connections if no other Client uses them. Each Client calls it once.
func (s *connections) release() {
	shares.mu.Lock()
	last := s.refs < 0
	if s.refs > 0 {
		if s.refs--; s.refs == 0 {
			delete(shares.byKey, s.key)
			last = true
		}
	}
	shares.mu.Unlock()
	if last {
		if s.again != nil {
			s.again.close()
		}
		s.Close()
	}
}

func newConnections(t Target, o dialOptions, cell string) (*connections, error) {
	cfg, err := rpcConfig(t, o, cell)
	if err != nil {
		return nil, err
	}
	s := &connections{}
	if s.again, err = newRefresher(t, o, cell); err != nil {
		return nil, err
	}
	if s.again != nil {
		cfg.Failed = s.again.unreached
	}
	if s.Client, err = rpc.NewClient(cfg); err != nil {
		return nil, err
	}
	if s.again != nil {
		s.again.use = s.Move // nothing was sent yet, so nothing has failed
	}
	return s, nil
}

// principalOf is the name of a client that proves no identity.
func (o dialOptions) principalOf(t Target) string {
	if who := cmp.Or(o.principal, t.Principal); who != "" {
		return who
	}
	return rpc.UserName()
}

// rpcConfig is the configuration of connections with the secrets of the target or of the options.
func rpcConfig(t Target, o dialOptions, cell string) (rpc.ClientConfig, error) {
	s, err := newSecrets(t, o.logger)
	if err != nil {
		return rpc.ClientConfig{}, err
	}
	cfg := rpc.ClientConfig{
		Cell: cmp.Or(t.Cell, cell), Replicas: t.Replicas, Principal: o.principalOf(t), AllowPlain: o.allowPlain || t.AllowPlain, Logger: o.logger,
		Resolver: o.resolver, ServerName: t.ServerName(), TLS: s.tls, RenewTLS: s.newestTLS, RenewToken: s.newestToken,
	}
	if o.tls != nil {
		cfg.TLS, cfg.RenewTLS = o.tls, nil
	}
	if o.token != "" {
		cfg.Token, cfg.RenewToken = o.token, nil
	}
	return cfg, nil
}
