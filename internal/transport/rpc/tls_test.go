package rpc_test

import (
	"crypto/tls"
	"encoding/pem"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/chubbycell/chubby/internal/logtest"
	"github.com/chubbycell/chubby/internal/transport/certtest"
	"github.com/chubbycell/chubby/internal/transport/rpc"
)

func TestThePrincipalIsTheCommonNameOfTheCertificate(t *testing.T) {
	ca := certtest.New(t)
	tokens, err := rpc.ParseTokens([]byte("bob " + long))
	require.NoError(t, err)
	secure := func(c *rpc.ServerConfig) {
		c.TrustNames = false
		c.TLS = &tls.Config{Certificates: []tls.Certificate{ca.Issue(t, "replica")}, ClientCAs: ca.Pool}
	}
	log := new(logtest.Log)
	r := serve(t, func(c *rpc.ServerConfig) { secure(c); c.Logger = slog.New(slog.NewTextHandler(log, nil)) })
	client := func(c *tls.Config, token string) *process {
		return dial(t, r.addr, func(d *rpc.ClientConfig) { d.TLS, d.Principal, d.Token = c, "mallory", token })
	}
	p := client(&tls.Config{RootCAs: ca.Pool, Certificates: []tls.Certificate{ca.Issue(t, "carol")}}, "")
	p.Send(1, []byte("x"))
	p.hears(t, "1: carol said x")

	p = client(&tls.Config{RootCAs: ca.Pool}, "")
	p.Send(1, []byte("x"))
	p.fails(t, codes.Unauthenticated, "neither a certificate nor a token; if it has a certificate, that is not of an authority")

	p = client(&tls.Config{RootCAs: ca.Pool, Certificates: []tls.Certificate{certtest.New(t).Issue(t, "carol")}}, "")
	p.Send(1, []byte("x"))
	if code := status.Code(p.failure(t)); code != codes.Unavailable { // the end of the connection came before the alert
		require.Equal(t, codes.Unauthenticated, code)
	}

	p = client(&tls.Config{RootCAs: certtest.New(t).Pool}, "")
	p.Send(1, []byte("x"))
	p.fails(t, codes.FailedPrecondition, "the certificate of the replica is not accepted: x509: certificate signed by unknown authority")
	p = dial(t, r.addr, nil)
	p.Send(1, []byte("x"))
	p.fails(t, codes.FailedPrecondition, "the replica speaks TLS, and the client has no ca")
	for _, words := range []string{ // the end of the replica has them, too
		"the client shows neither a certificate nor a token",
		"its certificate is not accepted: x509: certificate signed by unknown authority",
		"it does not accept the certificate of this replica: bad certificate: see ca there, and server_cert here",
		"it does not speak TLS, and this replica has server_cert: the client needs the ca of the replicas",
	} {
		require.Eventually(t, func() bool { return log.Has("times=1 err=\"" + words) }, 10*time.Second, time.Millisecond, "%s", log)
	}
	bare := serve(t, nil)
	p = dial(t, bare.addr, func(d *rpc.ClientConfig) { d.TLS = &tls.Config{RootCAs: ca.Pool} })
	p.Send(1, []byte("x"))
	p.fails(t, codes.FailedPrecondition, "the replica does not speak TLS")

	p = client(&tls.Config{RootCAs: ca.Pool, Certificates: []tls.Certificate{ca.Issue(t, "two words")}}, "")
	p.Send(1, []byte("x"))
	p.fails(t, codes.Unauthenticated, `"two words", which cannot be the name`)

	r = serve(t, func(c *rpc.ServerConfig) { secure(c); c.Tokens = tokens })
	p = client(&tls.Config{RootCAs: ca.Pool}, long)
	p.Send(1, []byte("x"))
	p.hears(t, "1: bob said x")
}

// Without an authority of clients a certificate says nothing, whatever authorities the machine knows.
func TestWithoutAnAuthorityNoCertificateNamesAPrincipal(t *testing.T) {
	ca := certtest.New(t)
	known := filepath.Join(t.TempDir(), "authorities")
	require.NoError(t, os.WriteFile(known, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ca.Cert.Raw}), 0o600))
	t.Setenv("SSL_CERT_FILE", known) // of no effect where an earlier test had the authorities of the machine read
	r := serve(t, func(c *rpc.ServerConfig) {
		c.TrustNames, c.Tokens = false, tokensOf(t, "bob "+long)
		c.TLS = &tls.Config{Certificates: []tls.Certificate{ca.Issue(t, "replica")}}
	})
	shows := &tls.Config{RootCAs: ca.Pool, Certificates: []tls.Certificate{ca.Issue(t, "carol")}}
	p := dial(t, r.addr, func(d *rpc.ClientConfig) { d.TLS = shows })
	p.Send(1, []byte("x"))
	p.fails(t, codes.Unauthenticated, "the client shows no token")
	p = dial(t, r.addr, func(d *rpc.ClientConfig) { d.TLS, d.Token = shows, long })
	p.Send(1, []byte("x"))
	p.hears(t, "1: bob said x")
}
