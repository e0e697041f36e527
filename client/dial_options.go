package client

import (
	"cmp"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"strings"
)

// dialOptions are the options of Dial for the connections to one cell. New takes cfg alone.
type dialOptions struct {
	cfg        Config
	tls        *tls.Config
	token      string
	principal  string
	allowPlain bool
	alone      bool
	logger     *slog.Logger
	resolver   *net.Resolver
	file       string // cell file, full name; "": the target is none
}

// WithConfig sets timeouts and limits of a Client. Dial sets Replicas itself, and sets Draw if c
// leaves it unset. With New, each non-zero field of c except Replicas overrides that field of New's
// Config.
func WithConfig(c Config) Option { return func(s *settings) { s.dial.cfg = c } }

// WithTLS makes Dial connect with TLS. RootCAs holds the authority of the replicas' certificates.
// The common name of the client's certificate is the client's principal.
func WithTLS(c *tls.Config) Option { return func(s *settings) { s.dial.tls = c } }

// WithToken makes Dial prove the client's identity by a token.
func WithToken(token string) Option { return func(s *settings) { s.dial.token = token } }

// WithPrincipal sets the name of a client that proves no identity. A cell believes the name only on
// plain connections within one machine. Default: the name of the user that runs the program.
func WithPrincipal(name string) Option { return func(s *settings) { s.dial.principal = name } }

// WithPlain lets Dial make plain connections beyond the loopback interface. An attacker on the
// network can read and forge what goes over them.
func WithPlain() Option { return func(s *settings) { s.dial.allowPlain = true } }

// WithOwnConnections makes Dial open connections that no other Client uses. Without it, the Clients
// of one process with the same target, principal and secrets share one connection to each replica.
func WithOwnConnections() Option { return func(s *settings) { s.dial.alone = true } }

// WithLogger sets the logger to which a Client made by Dial reports on its connections. Default:
// none.
func WithLogger(l *slog.Logger) Option { return func(s *settings) { s.dial.logger = l } }

// WithResolver sets the resolver that looks up host names, and the names of a target in DNS. Default:
// net.DefaultResolver, the one of the machine.
func WithResolver(r *net.Resolver) Option { return func(s *settings) { s.dial.resolver = r } }

// over returns cfg overridden by the non-zero fields of WithConfig, except Replicas.
func (o dialOptions) over(cfg Config) Config {
	own := o.cfg
	own.Replicas = cfg.Replicas
	if own.Draw == nil {
		own.Draw = cfg.Draw
	}
	if own.Cache == (Cache{}) {
		own.Cache = cfg.Cache
	}
	own.AnswerWait = cmp.Or(own.AnswerWait, cfg.AnswerWait)
	own.RetryMin = cmp.Or(own.RetryMin, cfg.RetryMin)
	own.RetryMax = cmp.Or(own.RetryMax, cfg.RetryMax)
	own.ParkedRetry = cmp.Or(own.ParkedRetry, cfg.ParkedRetry)
	own.Rho = cmp.Or(own.Rho, cfg.Rho)
	own.Grace = cmp.Or(own.Grace, cfg.Grace)
	own.Window = cmp.Or(own.Window, cfg.Window)
	own.Queue = cmp.Or(own.Queue, cfg.Queue)
	return own
}

// onlyOfDial returns an error that names the given options that New does not accept; nil: none.
func (s settings) onlyOfDial() error {
	o := s.dial
	var names []string
	for _, x := range []struct {
		name string
		set  bool
	}{
		{"WithTLS", o.tls != nil}, {"WithToken", o.token != ""}, {"WithPrincipal", o.principal != ""},
		{"WithPlain", o.allowPlain}, {"WithOwnConnections", o.alone}, {"WithLogger", o.logger != nil},
		{"WithResolver", o.resolver != nil}, {"WithCell", len(s.others) > 0},
	} {
		if x.set {
			names = append(names, x.name)
		}
	}
	if names == nil {
		return nil
	}
	return fmt.Errorf("%s: only for the connections that Dial makes, and this Client has none", strings.Join(names, ", "))
}
