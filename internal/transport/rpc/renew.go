package rpc

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/chubbycell/chubby/replica/api"
)

// Stamp tells the present state of files: it is another one when a file was replaced or written.
// Names that are empty are left out.
func Stamp(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		if name == "" {
			continue
		}
		info, err := os.Stat(name)
		if err != nil {
			fmt.Fprintf(&b, "%v\n", err)
			continue
		}
		fmt.Fprintf(&b, "%d %d%s\n", info.ModTime().UnixNano(), info.Size(), inode(info))
	}
	return b.String()
}

// serverTLS is the configuration of the server's side, which asks for the newest certificates at
// each handshake.
func (c *ServerConfig) serverTLS() *tls.Config {
	t := secured(c.TLS)
	if c.RenewTLS != nil {
		t.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) { return secured(c.RenewTLS()), nil }
	}
	return t
}

// secured is a configuration with what the Server sets. A client without a certificate is refused
// by Datagrams, in words; health checks need none. A session is not resumed: each handshake
// shows a certificate, which the present authority must have signed. Without an authority no certificate is
// asked for: package x509 would verify it by the authorities of the machine, and each client that one of them
// knows would be a principal.
func secured(c *tls.Config) *tls.Config {
	t := c.Clone()
	t.MinVersion, t.ClientAuth, t.SessionTicketsDisabled = tls.VersionTLS13, tls.NoClientCert, true
	if t.ClientCAs != nil {
		t.ClientAuth = tls.VerifyClientCertIfGiven
	}
	t.NextProtos = []string{"h2"}
	return t
}

// SetTokens replaces the tokens that are accepted. Streams of clients whose token is not among
// them, or names another principal now, end with Unauthenticated.
func (s *Server) SetTokens(t *Tokens) {
	s.tokens.Store(t)
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.renewed)
	s.renewed = make(chan struct{})
}

// awaitTokens is closed when tokens are replaced.
func (s *Server) awaitTokens() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.renewed
}

// isStill refuses a client that could not open its stream again as the same principal.
func (s *Server) isStill(ctx context.Context, who api.Principal) error {
	md, _ := metadata.FromIncomingContext(ctx)
	switch now, err := s.authenticate(ctx, md); {
	case err != nil:
		return err
	case now != who:
		return status.Errorf(codes.Unauthenticated, "the token of %s is that of %s now", who, now)
	}
	return nil
}

// renewing are credentials of a client that makes each handshake with the newest certificates.
type renewing struct {
	credentials.TransportCredentials // with those at the start
	newest                           func() credentials.TransportCredentials
}

// ClientHandshake implements credentials.TransportCredentials.
func (r renewing) ClientHandshake(ctx context.Context, authority string, conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return r.newest().ClientHandshake(ctx, authority, conn)
}

// Clone implements credentials.TransportCredentials.
func (r renewing) Clone() credentials.TransportCredentials {
	return renewing{r.TransportCredentials.Clone(), r.newest}
}

// serverName is the name that the certificate of a replica at an address has to have.
func (c *ClientConfig) serverName(addr string) string {
	if c.ServerName != "" {
		return c.ServerName
	}
	host, _, _ := net.SplitHostPort(addr)
	return host
}

// credentials are those for a replica whose certificate has a name.
func (c *ClientConfig) credentials(name string) credentials.TransportCredentials {
	of := func(from *tls.Config) credentials.TransportCredentials {
		t := from.Clone()
		if t.MinVersion = tls.VersionTLS13; t.ServerName == "" {
			t.ServerName = name
		}
		return credentials.NewTLS(t)
	}
	if c.RenewTLS == nil {
		return of(c.TLS)
	}
	return renewing{of(c.TLS), func() credentials.TransportCredentials { return of(c.RenewTLS()) }}
}
