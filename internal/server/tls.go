package server

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/chubbycell/chubby/internal/transport/rpc"
)

// readPool reads the certificates of an authority.
func readPool(key, name string) (*x509.CertPool, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s: %s holds no certificate in PEM", key, name)
	}
	return pool, nil
}

// peerTLS is what replicas prove themselves with to each other; nil: plain.
func (c *Config) peerTLS() (*tls.Config, error) {
	if c.PeerCert == "" {
		return nil, nil
	}
	cert, err := tls.LoadX509KeyPair(c.PeerCert, c.PeerKey)
	if err != nil {
		return nil, fmt.Errorf("peer_cert: %w", err)
	}
	if err := cert.Leaf.VerifyHostname(c.CertificateName()); err != nil {
		return nil, fmt.Errorf("peer_cert: %s is not of this member: %w", c.PeerCert, err)
	}
	pool, err := readPool("peer_ca", c.PeerCA)
	if err != nil {
		return nil, err
	}
	if err := verifyOwn(cert, pool); err != nil {
		return nil, fmt.Errorf("peer_cert: no member accepts %s by peer_ca %s: %w", c.PeerCert, c.PeerCA, err)
	}
	return &tls.Config{Certificates: []tls.Certificate{cert}, RootCAs: pool}, nil
}

// verifyOwn checks a certificate of this member as the others will, at both ends of a connection. One that
// has expired is no fault here: it is warned of while the replica runs.
func verifyOwn(cert tls.Certificate, roots *x509.CertPool) error {
	between := x509.NewCertPool()
	for _, der := range cert.Certificate[1:] {
		c, err := x509.ParseCertificate(der)
		if err != nil {
			return err
		}
		between.AddCert(c)
	}
	for _, use := range []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth} {
		_, err := cert.Leaf.Verify(x509.VerifyOptions{Roots: roots, Intermediates: between, KeyUsages: []x509.ExtKeyUsage{use}})
		var invalid x509.CertificateInvalidError
		if err != nil && !(errors.As(err, &invalid) && invalid.Reason == x509.Expired) {
			return err
		}
	}
	return nil
}

// clientTLS is what clients see; nil: plain.
func (c *Config) clientTLS() (*tls.Config, error) {
	if c.ServerCert == "" {
		return nil, nil
	}
	cert, err := tls.LoadX509KeyPair(c.ServerCert, c.ServerKey)
	if err != nil {
		return nil, fmt.Errorf("server_cert: %w", err)
	}
	uses := cert.Leaf.ExtKeyUsage // none: it is for everything
	if len(uses) > 0 && !slices.Contains(uses, x509.ExtKeyUsageServerAuth) && !slices.Contains(uses, x509.ExtKeyUsageAny) {
		return nil, fmt.Errorf("server_cert: no client accepts %s: it lacks the extended key usage serverAuth", c.ServerCert)
	}
	t := &tls.Config{Certificates: []tls.Certificate{cert}}
	if c.ClientCA != "" {
		t.ClientCAs, err = readPool("client_ca", c.ClientCA)
	}
	return t, err
}

// tokens reads the token file; nil: there is none. Others than its owner must not read it.
func (c *Config) tokens() (*rpc.Tokens, error) {
	if c.TokenFile == "" {
		return nil, nil
	}
	info, err := os.Stat(c.TokenFile)
	if err != nil {
		return nil, fmt.Errorf("token_file: %w", err)
	}
	if mode := info.Mode().Perm(); mode&0o007 != 0 {
		return nil, fmt.Errorf("token_file: all users of this machine may use %s (mode %v): chmod o= it", c.TokenFile, mode)
	}
	text, err := os.ReadFile(c.TokenFile)
	if err != nil {
		return nil, fmt.Errorf("token_file: %w", err)
	}
	t, err := rpc.ParseTokens(text)
	if err != nil {
		return nil, fmt.Errorf("token_file: %s: %w", c.TokenFile, err)
	}
	return t, nil
}
