package server_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/server"
)

// authority writes certificates to files.
type authority struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string
}

func newAuthority(t *testing.T) *authority {
	a := &authority{t: t, dir: t.TempDir()}
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a.file, _ = a.write("ca", tmpl)
	return a
}

// write signs a certificate and writes it with its key.
func (a *authority) write(name string, tmpl *x509.Certificate) (cert, key string) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(a.t, err)
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = tmpl, private
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, parent, &private.PublicKey, signer)
	require.NoError(a.t, err)
	if a.cert == nil {
		a.cert, err = x509.ParseCertificate(der)
		require.NoError(a.t, err)
		a.key = private
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(a.t, err)
	cert, key = filepath.Join(a.dir, name+".crt"), filepath.Join(a.dir, name+".key")
	require.NoError(a.t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	require.NoError(a.t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
	return cert, key
}

// issue writes a certificate with a common name, DNS names, and the address of this machine.
func (a *authority) issue(name string, dns ...string) (cert, key string) {
	return a.write(name, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		DNSNames: dns, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	})
}

// A cell as the guide has it: certificates between replicas, and for clients, whose common
// names the access control lists have.
func TestACellWithCertificates(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	members, servers, clients := newAuthority(t), newAuthority(t), newAuthority(t)
	addrs, target := map[uint32]string{}, client.Target{Cell: "prod", Replicas: map[uint32]string{}, CA: servers.file}
	var options []server.Options
	for id := uint32(1); id <= 3; id++ {
		o := server.Options{Bootstrap: true, Peers: listen(t), Clients: listen(t)}
		addrs[id], target.Replicas[id] = o.Peers.Addr().String(), o.Clients.Addr().String()
		options = append(options, o)
	}
	config := func(id uint32) server.Config {
		c := server.Config{
			Cell: "prod", ID: id, Members: addrs, Dir: filepath.Join(t.TempDir(), "data"),
			ListenClients: target.Replicas[id], PeerCA: members.file, ClientCA: clients.file,
		}
		c.PeerCert, c.PeerKey = members.issue(fmt.Sprint("member", id), c.CertificateName())
		c.ServerCert, c.ServerKey = servers.issue(fmt.Sprint("server", id))
		require.NoError(t, c.CheckFiles())
		return c
	}
	wrong := config(1)
	wrong.ID = 2
	require.ErrorContains(t, wrong.CheckFiles(), "is not of this member")
	for id := uint32(1); id <= 3; id++ {
		s, err := server.Start(config(id), options[id-1])
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Stop(context.Background())) })
	}

	file := func(name string, t2 client.Target) string {
		text, err := json.Marshal(t2)
		require.NoError(t, err)
		file := filepath.Join(clients.dir, name)
		require.NoError(t, os.WriteFile(file, text, 0o600))
		return file
	}
	_, err := client.Dial(ctx, file("nobody.json", target))
	require.ErrorIs(t, err, client.ErrPermission)
	require.ErrorContains(t, err, "neither a certificate nor a token")

	clients.issue("ann")
	clients.issue("bob")
	target.Cert, target.Key = "ann.crt", "ann.key" // relative to the cell file
	ann, err := client.Dial(ctx, file("ann.json", target))
	require.NoError(t, err)
	target.Cert, target.Key = "bob.crt", "bob.key"
	bob, err := client.Dial(ctx, file("bob.json", target), client.WithPrincipal("ann"))
	require.NoError(t, err)
	_, err = ann.Open(ctx, "/ls/prod/acl/only-ann", client.OpenOptions{Rights: client.Write, Create: client.CreateMust, Contents: "ann\n"})
	require.NoError(t, err)
	_, err = ann.Open(ctx, "/ls/prod/f", client.OpenOptions{
		Rights: client.Write, Create: client.CreateMust, ACL: client.ACLNames{Read: "only-ann", Write: "only-ann", Change: "only-ann"},
	})
	require.NoError(t, err)
	_, err = bob.Open(ctx, "/ls/prod/f", client.OpenOptions{})
	require.ErrorIs(t, err, client.ErrPermission)
	require.NoError(t, ann.Close(ctx))
	require.NoError(t, bob.Close(ctx))
}
