package server_test

import (
	"context"
	"encoding/json"
	"maps"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/server"
	"github.com/chubbycell/chubby/internal/transport/dnstest"
)

// dialed calls the cell once by a target in DNS, and returns what was found.
func dialed(ctx context.Context, t *testing.T, target string, dns *dnstest.Server, options ...client.Option) client.Target {
	t.Helper()
	cl, err := client.Dial(ctx, target, append(options, client.WithResolver(dns.Resolver()))...)
	require.NoError(t, err)
	require.NoError(t, cl.Put(ctx, "k", target))
	_, err = cl.Open(ctx, "/ls/test/f", client.OpenOptions{Create: client.CreateMay})
	require.NoError(t, err, "the replicas say how the cell is called")
	require.NoError(t, cl.Close(ctx))
	return cl.Target()
}

// addrs is the addresses of the replicas by id.
func (c *cell) addrs() map[uint32]string {
	all := map[uint32]string{}
	for _, cfg := range c.cfgs {
		all[cfg.ID] = cfg.ListenClients
	}
	return all
}

// named has the hosts of a DNS server in place of 127.0.0.1.
func named(addrs map[uint32]string) map[uint32]string {
	for id, addr := range addrs {
		addrs[id] = strings.Replace(addr, "127.0.0.1", "at-127-0-0-1.test", 1)
	}
	return addrs
}

// SRV records name hosts and ports, and no replica. Dial learns the ids from the replicas.
func TestDialFindsTheReplicasOfSRVRecords(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, dns := newCell(t, 3), dnstest.New(t)
	const name = "_chubby._tcp.cell.test"
	at := slices.Sorted(maps.Values(c.addrs()))
	slices.Reverse(at)
	dns.SetServices(name, at...)
	require.Equal(t, client.Target{Cell: "test", Discover: "dns+srv:///cell.test", Replicas: named(c.addrs())}, dialed(ctx, t, "dns+srv:///cell.test", dns))

	// A record of a machine that runs no replica, and a replica that has no record.
	c.stop(2)
	away := listen(t)
	require.NoError(t, away.Close())
	dns.SetServices(name, c.cfgs[0].ListenClients, c.cfgs[2].ListenClients, away.Addr().String())
	want := named(c.addrs())
	want[2] = ""
	require.Equal(t, want, dialed(ctx, t, "dns+srv:///cell.test", dns).Replicas, "the others say that there is a replica 2")
	dns.SetServices(name, c.cfgs[0].ListenClients, c.cfgs[2].ListenClients)
	_, err := client.Dial(ctx, "dns+srv:///cell.test", client.WithResolver(dns.Resolver()), client.WithName("prod"))
	require.ErrorIs(t, err, client.ErrInvalid)
	require.ErrorContains(t, err, `this is a replica of cell "test", not of "prod"`)
	require.NoError(t, ctx.Err(), "all replicas have refused")
}

// Each A record is the address of a replica, and all have one port.
func TestDialFindsTheReplicasOfARecords(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("it needs 127.0.0.2 and more on the loopback interface, which Linux has, and so the machines of .ci/run")
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	listeners := []net.Listener{listen(t)}
	_, port, err := net.SplitHostPort(listeners[0].Addr().String())
	require.NoError(t, err)
	for _, ip := range []string{"127.0.0.2", "127.0.0.3"} {
		l, err := net.Listen("tcp", net.JoinHostPort(ip, port))
		require.NoError(t, err)
		listeners = append(listeners, l)
	}
	c, dns := newCellAt(t, "test", listeners), dnstest.New(t)
	dns.SetHosts("cell.test", "127.0.0.3", "127.0.0.1", "127.0.0.2", "::1")
	require.Equal(t, c.addrs(), dialed(ctx, t, "dns:///cell.test:"+port, dns).Replicas)
}

// One name in DNS for the replicas of two cells is refused: a client would change the cell by chance.
func TestDialRefusesANameOfTwoCells(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	a, dns := newCell(t, 1), dnstest.New(t)
	b := newCellAt(t, "prod", []net.Listener{listen(t)})
	dns.SetServices("_chubby._tcp.cell.test", a.cfgs[0].ListenClients, b.cfgs[0].ListenClients)
	require.NoError(t, a.servers[1].Ready(ctx))
	require.NoError(t, b.servers[1].Ready(ctx))
	_, err := client.Dial(ctx, "dns+srv:///cell.test", client.WithResolver(dns.Resolver()))
	require.ErrorIs(t, err, client.ErrInvalid)
	require.ErrorContains(t, err, "dns+srv:///cell.test: replicas of two cells answer, ")
	require.NoError(t, ctx.Err())
}

// The certificate of a replica has to have the name that the user gave: a record leads a client to no other machine of the
// same authority.
func TestACertificateHasTheNameInDNS(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	servers, clients, dns := newAuthority(t), newAuthority(t), dnstest.New(t)
	c := newCellOf(t, "test", []net.Listener{listen(t)}, func(cfg *server.Config) {
		cfg.ServerCert, cfg.ServerKey = servers.issue("server", "cell.test")
		cfg.ClientCA = clients.file
	})
	cert, key := clients.issue("ann")
	text, err := json.Marshal(client.Target{Discover: "dns+srv:///cell.test", CA: servers.file, Cert: cert, Key: key})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "cell.json")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	dns.SetServices("_chubby._tcp.cell.test", c.cfgs[0].ListenClients)
	require.Equal(t, named(c.addrs()), dialed(ctx, t, file, dns).Replicas)

	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), "cell.test", "other.test", 1)), 0o600))
	dns.SetServices("_chubby._tcp.other.test", c.cfgs[0].ListenClients)
	_, err = client.Dial(ctx, file, client.WithResolver(dns.Resolver()))
	require.ErrorIs(t, err, client.ErrInvalid)
	require.ErrorContains(t, err, "certificate is valid for cell.test, not other.test")
	require.ErrorContains(t, err, "whether the certificate names other.test and is still valid")
	require.NoError(t, ctx.Err())
}

// Replicas that come back at other addresses are found there, by their records or in the cell file, and so is one that was not there
// at Dial. An address that is another replica's now leads to no wrong one.
func TestAClientFollowsReplicasToOtherAddresses(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, dns := newCell(t, 3), dnstest.New(t)
	file := filepath.Join(t.TempDir(), "cell.json")
	announce := func(without uint32) { // 0: all have records
		addrs := c.addrs()
		text, err := json.Marshal(client.Target{Cell: "test", Replicas: addrs})
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, text, 0o600))
		delete(addrs, without)
		dns.SetServices("_chubby._tcp.cell.test", slices.Sorted(maps.Values(addrs))...)
	}
	for _, s := range c.servers {
		require.NoError(t, s.Ready(ctx))
	}
	missing := uint32(3)
	if c.servers[1].Status().Leader == 3 { // the master must be found
		missing = 2
	}
	announce(missing)
	byName, err := client.Dial(ctx, "dns+srv:///cell.test", client.WithResolver(dns.Resolver()))
	require.NoError(t, err)
	require.Empty(t, byName.Target().Replicas[missing])
	byFile, err := client.Dial(ctx, file)
	require.NoError(t, err)
	byList, err := client.Dial(ctx, c.target())
	require.NoError(t, err)

	for id := range c.servers {
		c.stop(id)
	}
	// Replica 1 gets the address that replica 2 had, and so on; replica 3 gets a new one.
	last := listen(t)
	was := c.addrs()
	for id := uint32(1); id <= 3; id++ {
		l := last
		if id < 3 {
			l, err = net.Listen("tcp", was[id+1])
			require.NoError(t, err)
		}
		c.cfgs[id-1].ListenClients = l.Addr().String()
		c.start(id, server.Options{Clients: l})
	}
	announce(0)
	for by, cl := range map[string]*client.Client{"name": byName, "file": byFile} {
		require.NoError(t, cl.Put(ctx, by, "x"), by)
	}
	require.Equal(t, c.addrs(), byFile.Target().Replicas)
	require.NoError(t, byName.Close(ctx))
	require.NoError(t, byFile.Close(ctx))
	require.Equal(t, was, byList.Target().Replicas, "a list stays as it is")
	ended, end := context.WithCancel(ctx)
	end()
	_ = byList.Close(ended)
}
