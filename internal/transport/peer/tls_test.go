package peer

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
)

// authority signs certificates of members.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
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
	return &authority{cert, key}
}

// config is the TLS configuration of a member with this name.
func (a *authority) config(t *testing.T, name string) *tls.Config {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(2), DNSNames: []string{name}, NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, a.cert, &key.PublicKey, a.key)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, RootCAs: pool}
}

func TestMembersProveWhoTheyAre(t *testing.T) {
	ca := newAuthority(t)
	secure := func(nameA, nameB string) func(a, b *Config) {
		return func(a, b *Config) { a.TLS, b.TLS = ca.config(t, nameA), ca.config(t, nameB) }
	}
	name := func(id paxos.NodeID) string { return MemberName("test", id) }

	a, b := two(t, secure(name(1), name(2)))
	a.connected(t)
	a.Send(2, []byte("in secret"))
	require.Equal(t, "1: in secret", b.next(t))

	a, b = two(t, secure(name(3), name(2))) // 1 has the certificate of 3
	b.log.says(t, "level=ERROR", "replica 1 does not prove who it is", "replica-3.test")
	a.log.says(t, "level=ERROR", "does not prove who it is")

	a, _ = two(t, secure(name(1), MemberName("other", 2))) // 2 has a certificate of another cell
	a.log.says(t, "level=WARN", "replica-2.other", "not replica-2.test")

	_, b = two(t, func(_, b *Config) { b.TLS = ca.config(t, name(2)) }) // 1 has no TLS at all
	b.log.says(t, "level=ERROR", "does not look like a TLS handshake")
	require.Empty(t, b.got)

	stranger := newAuthority(t)
	_, b = two(t, func(a, b *Config) {
		a.TLS, b.TLS = stranger.config(t, name(1)), ca.config(t, name(2))
		a.TLS.RootCAs = b.TLS.RootCAs
	})
	b.log.says(t, "level=ERROR", "unknown authority")
}
