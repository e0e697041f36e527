package server_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/logtest"
	"github.com/chubbycell/chubby/internal/server"
)

// shownTo is the certificate that a listener shows, in DER.
func shownTo(t *testing.T, addr string, c *tls.Config) string {
	conn, err := tls.Dial("tcp", addr, c)
	require.NoError(t, err)
	defer conn.Close()
	return string(conn.ConnectionState().PeerCertificates[0].Raw)
}

// Certificates are renewed while a replica and its clients run: when their files have changed, and
// on demand. A bad new pair changes nothing.
func TestCertificatesAreRenewedWithoutARestart(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	members, servers, old, next := newAuthority(t), newAuthority(t), newAuthority(t), newAuthority(t)
	said := new(logtest.Log)
	peers, clients := listen(t), listen(t)
	at, peerAt := clients.Addr().String(), peers.Addr().String()
	cfg := server.Config{
		Cell: "prod", ID: 1, Members: map[uint32]string{1: peerAt}, Dir: filepath.Join(t.TempDir(), "data"),
		ListenClients: at, ListenHTTP: "127.0.0.1:0", PeerCA: members.file, ClientCA: old.file,
	}
	cfg.PeerCert, cfg.PeerKey = members.issue("member", cfg.CertificateName())
	cfg.ServerCert, cfg.ServerKey = servers.issue("server")
	s, err := server.Start(cfg, server.Options{Bootstrap: true, Peers: peers, Clients: clients, Logger: slog.New(slog.NewTextHandler(said, nil))})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop(context.Background())) })

	old.issue("ann")
	file := filepath.Join(old.dir, "ann.json")
	text, err := json.Marshal(client.Target{Cell: "prod", Replicas: map[uint32]string{1: at}, CA: servers.file, Cert: "ann.crt", Key: "ann.key"})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, text, 0o600))
	ann, err := client.Dial(ctx, file)
	require.NoError(t, err)
	require.NoError(t, ann.Put(ctx, "a", "1"))

	toClients := func() string {
		return shownTo(t, at, &tls.Config{RootCAs: servers.Pool, NextProtos: []string{"h2"}})
	}
	member := members.Issue(t, "", "replica-2.prod")
	toPeers := func() string {
		return shownTo(t, peerAt, &tls.Config{RootCAs: members.Pool, ServerName: cfg.CertificateName(), Certificates: []tls.Certificate{member}})
	}
	first, firstPeer := toClients(), toPeers()
	_, text2 := page(t, s, "/")
	require.Contains(t, text2, "The certificate of server_cert is valid only until", "for an hour")
	_, text2 = page(t, s, "/metrics")
	require.Regexp(t, `(?m)^chubby_certificate_not_after_seconds\{key="peer_cert"\} 1\.\d+e\+09$`, text2)
	require.NoError(t, s.Reload())
	require.Equal(t, first, toClients(), "nothing has changed")

	good, err := os.ReadFile(cfg.ServerKey)
	require.NoError(t, err)
	_, other := members.issue("stranger")
	wrong, err := os.ReadFile(other)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(cfg.ServerKey, wrong, 0o600))
	require.ErrorContains(t, s.Reload(), "server_cert: tls: private key does not match public key")
	require.True(t, said.Has("the old ones stay"))
	require.Equal(t, first, toClients())
	const stay = "New files of server_cert, server_key, client_ca are bad, and the old ones stay in use"
	_, text2 = page(t, s, "/")
	require.Contains(t, text2, stay)
	require.NoError(t, os.WriteFile(cfg.ServerKey, good, 0o600))

	servers.issue("server")
	members.issue("member", cfg.CertificateName())
	require.Eventually(t, func() bool { return toClients() != first && toPeers() != firstPeer }, 20*time.Second, 50*time.Millisecond, "the files have changed")
	_, text2 = page(t, s, "/")
	require.NotContains(t, text2, stay)

	// From now on another authority signs the certificates of clients. A client follows when it
	// connects again: here, since the replica starts again.
	authority, err := os.ReadFile(next.file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(old.file, authority, 0o600))
	renewed, key := next.issue("ann")
	for from, to := range map[string]string{renewed: "ann.crt", key: "ann.key"} {
		text, err := os.ReadFile(from)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(old.dir, to), text, 0o600))
	}
	require.NoError(t, s.Reload())
	require.NoError(t, ann.Put(ctx, "a", "2"), "a connection goes on")
	require.NoError(t, s.Stop(ctx))
	s, err = server.Start(cfg, server.Options{})
	require.NoError(t, err)
	require.NoError(t, ann.Put(ctx, "a", "3"))
	require.NoError(t, ann.Close(ctx))
}

// A client whose token was removed is told why no replica takes it any more.
func TestAClientKnowsThatItsTokenIsGone(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	const ann, bob = "ann-ann-ann-ann-ann-ann-ann", "bob-bob-bob-bob-bob-bob-bob"
	tokens := filepath.Join(t.TempDir(), "tokens")
	require.NoError(t, os.WriteFile(tokens, []byte("ann "+ann+"\nbob "+bob+"\n"), 0o600))
	peers, clients := listen(t), listen(t)
	cfg := server.Config{
		Cell: "test", ID: 1, Members: map[uint32]string{1: peers.Addr().String()}, Dir: filepath.Join(t.TempDir(), "1"),
		ListenClients: clients.Addr().String(), TokenFile: tokens,
	}
	s, err := server.Start(cfg, server.Options{Bootstrap: true, Peers: peers, Clients: clients})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop(context.Background())) })
	cl, err := client.Dial(ctx, "1="+cfg.ListenClients, client.WithToken(ann))
	require.NoError(t, err)
	require.NoError(t, cl.Unreached())
	require.NoError(t, os.WriteFile(tokens, []byte("bob "+bob+"\n"), 0o600))
	require.NoError(t, s.Reload())
	require.Eventually(t, func() bool { return cl.Unreached() != nil }, 20*time.Second, 10*time.Millisecond)
	require.ErrorContains(t, cl.Unreached(), "the replica does not know the token")
	over, stop := context.WithCancel(ctx)
	stop()
	require.Error(t, cl.Close(over))
}
