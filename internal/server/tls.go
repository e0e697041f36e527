package server

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/internal/transport/rpc"
)

// credentials are certificates as they were read last, and what they make of a connection; tls is nil: plain.
type credentials struct {
	tls  *tls.Config
	ends []expiry // by key of the configuration
}

// readPair reads a certificate of this replica with its key.
func (c *credentials) readPair(key, cert, secret string) (tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(cert, secret)
	if err != nil {
		return pair, fmt.Errorf("%s: %w%s", key, err, relativeTo(err))
	}
	if err := checkPrivate(strings.TrimSuffix(key, "cert")+"key", secret); err != nil {
		return pair, err
	}
	c.ends = append(c.ends, expiryOf(key, pair.Leaf))
	return pair, nil
}

// relativeTo says where a file that is missing was looked for, if its name does not say it; "" for other errors.
func relativeTo(err error) string {
	missing := new(fs.PathError)
	if !errors.As(err, &missing) || !errors.Is(err, fs.ErrNotExist) || filepath.IsAbs(missing.Path) {
		return ""
	}
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return " in " + dir + ", in which serve was started"
}

// readPool reads the certificates of an authority. They begin with the first of them and end with the last: while one
// authority takes the place of another, the file has both.
func (c *credentials) readPool(key, name string) (*x509.CertPool, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w%s", key, err, relativeTo(err))
	}
	pool, life := x509.NewCertPool(), expiry{}
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" || len(block.Headers) != 0 {
			continue
		}
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			continue
		}
		pool.AddCert(cert)
		if life.key == "" {
			life = expiryOf(key, cert)
		}
		if cert.NotBefore.Before(life.from) {
			life.from = cert.NotBefore
		}
		if cert.NotAfter.After(life.at) {
			life.at = cert.NotAfter
		}
	}
	if life.key == "" {
		return nil, fmt.Errorf("%s: %s holds no certificate in PEM", key, name)
	}
	c.ends = append(c.ends, life)
	return pool, nil
}

// peerCredentials are what replicas prove themselves with to each other.
func (c *Config) peerCredentials() (*credentials, error) {
	x := &credentials{}
	if c.PeerCert == "" {
		return x, nil
	}
	cert, err := x.readPair("peer_cert", c.PeerCert, c.PeerKey)
	if err != nil {
		return nil, err
	}
	if err := cert.Leaf.VerifyHostname(c.CertificateName()); err != nil {
		return nil, fmt.Errorf("peer_cert: %s is not of this member: %w", c.PeerCert, err)
	}
	pool, err := x.readPool("peer_ca", c.PeerCA)
	if err != nil {
		return nil, err
	}
	if err := verifyOwn(cert, pool); err != nil {
		return nil, fmt.Errorf("peer_cert: no member accepts %s by peer_ca %s: %w", c.PeerCert, c.PeerCA, err)
	}
	x.tls = &tls.Config{Certificates: []tls.Certificate{cert}, RootCAs: pool}
	return x, nil
}

// verifyOwn checks a certificate of this member as the others will, at both ends of a connection. One that
// has expired, or is not valid yet, is no fault here: it is warned of while the replica runs.
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

// clientCredentials are what clients see, and by what they are known.
func (c *Config) clientCredentials() (*credentials, error) {
	x := &credentials{}
	if c.ServerCert == "" {
		return x, nil
	}
	cert, err := x.readPair("server_cert", c.ServerCert, c.ServerKey)
	if err != nil {
		return nil, err
	}
	uses := cert.Leaf.ExtKeyUsage // none: it is for everything
	if len(uses) > 0 && !slices.Contains(uses, x509.ExtKeyUsageServerAuth) && !slices.Contains(uses, x509.ExtKeyUsageAny) {
		return nil, fmt.Errorf("server_cert: no client accepts %s: it lacks the extended key usage serverAuth", c.ServerCert)
	}
	x.tls = &tls.Config{Certificates: []tls.Certificate{cert}}
	if c.ClientCA != "" {
		if x.tls.ClientCAs, err = x.readPool("client_ca", c.ClientCA); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// checkPrivate refuses the file of a secret that all users of this machine may use: each could pass for this replica, or
// for a client.
func checkPrivate(key, name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if mode := info.Mode().Perm(); mode&0o007 != 0 && runtime.GOOS != "windows" { // which has other rights
		return fmt.Errorf("%s: all users of this machine may use %s (mode %v): chmod o= it", key, name, mode)
	}
	return nil
}

// tokens reads the token file; nil: there is none. Others than its owner must not read it.
func (c *Config) tokens() (*rpc.Tokens, error) {
	if c.TokenFile == "" {
		return nil, nil
	}
	if err := checkPrivate("token_file", c.TokenFile); err != nil {
		return nil, err
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
