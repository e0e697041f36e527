package rpc_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/chubbycell/chubby/internal/transport/rpc"
)

// authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool
}

func newAuthority(t *testing.T) *authority {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	a := &authority{cert, key, x509.NewCertPool()}
	a.pool.AddCert(cert)
	return a
}

func (a *authority) certificate(t *testing.T, name string) tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, a.cert, &key.PublicKey, a.key)
	require.NoError(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func TestThePrincipalIsTheCommonNameOfTheCertificate(t *testing.T) {
	ca := newAuthority(t)
	tokens, err := rpc.ParseTokens([]byte("bob " + long))
	require.NoError(t, err)
	secure := func(c *rpc.ServerConfig) {
		c.TrustNames = false
		c.TLS = &tls.Config{Certificates: []tls.Certificate{ca.certificate(t, "replica")}, ClientCAs: ca.pool}
	}
	r := serve(t, secure)
	client := func(c *tls.Config, token string) *process {
		return dial(t, r.addr, func(d *rpc.ClientConfig) { d.TLS, d.Principal, d.Token = c, "mallory", token })
	}
	p := client(&tls.Config{RootCAs: ca.pool, Certificates: []tls.Certificate{ca.certificate(t, "carol")}}, "")
	p.Send(1, []byte("x"))
	p.hears(t, "1: carol said x")

	p = client(&tls.Config{RootCAs: ca.pool}, "")
	p.Send(1, []byte("x"))
	p.fails(t, codes.Unauthenticated, "neither a certificate nor a token")

	p = client(&tls.Config{RootCAs: ca.pool, Certificates: []tls.Certificate{newAuthority(t).certificate(t, "carol")}}, "")
	p.Send(1, []byte("x"))
	p.fails(t, codes.Unavailable, "") // whether the alert or the end of the connection comes first is open

	p = client(&tls.Config{RootCAs: newAuthority(t).pool}, "")
	p.Send(1, []byte("x"))
	p.fails(t, codes.Unavailable, "unknown authority")

	p = client(&tls.Config{RootCAs: ca.pool, Certificates: []tls.Certificate{ca.certificate(t, "two words")}}, "")
	p.Send(1, []byte("x"))
	p.fails(t, codes.Unauthenticated, `"two words", which cannot be the name`)

	r = serve(t, func(c *rpc.ServerConfig) { secure(c); c.Tokens = tokens })
	p = client(&tls.Config{RootCAs: ca.pool}, long)
	p.Send(1, []byte("x"))
	p.hears(t, "1: bob said x")
}
