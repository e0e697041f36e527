package server_test

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/server"
	"github.com/chubbycell/chubby/internal/transport/certtest"
)

// authority writes certificates to files.
type authority struct {
	*certtest.Authority
	t    *testing.T
	dir  string
	file string // its own certificate
}

func newAuthority(t *testing.T) *authority {
	a := &authority{Authority: certtest.New(t), t: t, dir: t.TempDir()}
	a.file = a.write("ca.crt", "CERTIFICATE", a.Cert.Raw)
	return a
}

func (a *authority) write(name, kind string, der []byte) string {
	file := filepath.Join(a.dir, name)
	require.NoError(a.t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
	return file
}

// issue writes a certificate with a common name and DNS names, and its key.
func (a *authority) issue(name string, dns ...string) (cert, key string) {
	c := a.Issue(a.t, name, dns...)
	secret, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	require.NoError(a.t, err)
	return a.write(name+".crt", "CERTIFICATE", c.Certificate[0]), a.write(name+".key", "PRIVATE KEY", secret)
}

// A cell as the guide has it: certificates between replicas, and for clients, whose common
// names the access control lists have.
func TestACellWithCertificates(t *testing.T) {
	t.Parallel()
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
	wrong = config(1)
	wrong.PeerCA = servers.file
	require.ErrorContains(t, wrong.CheckFiles(), "peer_cert: no member accepts "+wrong.PeerCert+" by peer_ca "+servers.file)
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
	_, err := client.Dial(ctx, file("nameless.json", target))
	require.ErrorIs(t, err, client.ErrPermission)
	require.ErrorContains(t, err, "neither a certificate nor a token")

	// No certificate of a replica is of this authority: that is known before the context ends.
	strange := target
	strange.CA = clients.file
	_, err = client.Dial(ctx, file("strange.json", strange))
	require.ErrorIs(t, err, client.ErrInvalid)
	require.ErrorContains(t, err, "see ca, which must be the authority that signed its server_cert (not peer_ca), and whether the certificate names 127.0.0.1 and is")
	require.ErrorContains(t, err, "certificate signed by unknown authority")
	require.NotErrorIs(t, err, context.DeadlineExceeded)

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

// File names are relative to the directory in which serve was started: the error says which one, and only then.
func TestAMissingCertificateIsSaidWithItsDirectory(t *testing.T) {
	t.Chdir(t.TempDir())
	dir, err := os.Getwd()
	require.NoError(t, err)
	ca := newAuthority(t)
	c := server.Config{
		Cell: "prod", ID: 1, Members: map[uint32]string{1: "127.0.0.1:0"}, Dir: "data", ListenClients: "127.0.0.1:0", ClientCA: ca.file,
		ServerCert: "nope.crt", ServerKey: "nope.key",
	}
	require.ErrorContains(t, c.CheckFiles(), "server_cert: open nope.crt: no such file or directory in "+dir+", in which serve was started")
	c.ServerCert, c.ServerKey = ca.issue("server")
	c.ClientCA = filepath.Join(dir, "nope.crt")
	require.ErrorContains(t, c.CheckFiles(), "client_ca: open "+c.ClientCA+": no such file or directory")
	require.NotContains(t, c.CheckFiles().Error(), "in which serve")
}

// With a key that all users of the machine may read each of them could be a member of the cell.
func TestAKeyThatAllMayReadIsRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("file modes are those of unix, which the machines of .ci/run have")
	}
	ca := newAuthority(t)
	c := server.Config{
		Cell: "prod", ID: 1, Members: map[uint32]string{1: "127.0.0.1:0"}, Dir: filepath.Join(t.TempDir(), "data"),
		ListenClients: "127.0.0.1:0", PeerCA: ca.file, ClientCA: ca.file,
	}
	c.PeerCert, c.PeerKey = ca.issue("member", c.CertificateName())
	c.ServerCert, c.ServerKey = ca.issue("server")
	require.NoError(t, c.CheckFiles())
	for key, file := range map[string]string{"peer_key": c.PeerKey, "server_key": c.ServerKey} {
		require.NoError(t, os.Chmod(file, 0o644))
		require.ErrorContains(t, c.CheckFiles(), key+": all users of this machine may use "+file)
		require.NoError(t, os.Chmod(file, 0o640))
		require.NoError(t, c.CheckFiles(), "a group may have the key")
	}
}
