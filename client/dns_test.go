package client_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/transport/dnstest"
)

// A target in DNS with a wrong form is refused before anything is sent, with both forms.
func TestAWrongTargetInDNSIsRefused(t *testing.T) {
	const forms = "give dns:///NAME:PORT (each A or AAAA record of NAME is the address of a replica), or dns+srv:///NAME (each SRV record of _chubby._tcp.NAME is"
	for target, why := range map[string]string{
		"dns:///cell.test":                      `target "dns:///cell.test": it has no NAME:PORT: `,
		"dns:///cell.test:0":                    `"0" is not a port from 1 to 65535`,
		"dns:///cell.test:http":                 `"http" is not a port`,
		"dns:///:7400":                          `"" is not a name`,
		"dns:////cell.test:7400":                `"/cell.test" is not a name`,
		"dns://10.0.0.1/cell.test:7400":         "three slashes come before NAME, since the resolver of this machine is asked",
		"dns:cell.test:7400":                    "three slashes come before NAME",
		"dns+srv:///":                           `"" is not a name`,
		"dns+srv:///cell.test:7400":             "SRV records have the ports, and NAME has none",
		"dns+srv:///_chubby._tcp.cell.test":     "NAME is the domain, without a service before it",
		"dns+srv://cell.test":                   "three slashes come before NAME",
		cellFile(t, `{"discover": "dns:///x"}`): `discover: target "dns:///x": it has no NAME:PORT`,
	} {
		_, err := client.Dial(t.Context(), target)
		require.ErrorIs(t, err, client.ErrInvalid)
		require.ErrorContains(t, err, why)
		require.ErrorContains(t, err, forms)
	}
	_, err := client.ParseTarget(cellFile(t, `{"discover": "dns:///x:1", "replicas": {"1": "h:1"}}`))
	require.ErrorContains(t, err, "replicas and discover: give only one of them")
	_, err = client.ParseTarget("etcd://x")
	require.ErrorContains(t, err, "give ID=HOST:PORT,ID=HOST:PORT, the name of a cell file, dns:///NAME:PORT or dns+srv:///NAME: ")
	got, err := client.ParseTarget(cellFile(t, `{"cell": "prod", "discover": "dns+srv:///cell.test"}`))
	require.NoError(t, err)
	require.Equal(t, client.Target{Cell: "prod", Discover: "dns+srv:///cell.test"}, got)
}

func cellFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "cell.json")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

// A name that DNS does not have ends Dial at once. The error names it, and the records that were looked up.
func TestANameThatDNSDoesNotHaveEndsDial(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour) // not what ends it
	defer cancel()
	dns := dnstest.New(t)
	dns.SetHosts("other.test", "127.0.0.1")
	for target, why := range map[string]string{
		"dns:///cell.test:7400": "dns:///cell.test:7400: DNS has no A or AAAA records of cell.test: look at the name, add the records, or give ID=HOST:PORT,ID=HOST:PORT or a cell file",
		"dns+srv:///cell.test":  "dns+srv:///cell.test: DNS has no SRV records of _chubby._tcp.cell.test: look at the name",
	} {
		_, err := client.Dial(ctx, target, client.WithResolver(dns.Resolver()))
		require.ErrorIs(t, err, client.ErrInvalid)
		require.ErrorContains(t, err, why)
	}
	require.NoError(t, ctx.Err())
}

// Plain connections stay on the loopback interface, also where DNS leads elsewhere.
func TestDNSLeadsNoPlainConnectionAway(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour) // not what ends it
	defer cancel()
	dns := dnstest.New(t)
	dns.SetHosts("cell.test", "192.0.2.1", "2001:db8::1")
	dns.SetServices("_chubby._tcp.cell.test", "192.0.2.1:7400")
	for target, addr := range map[string]string{
		"dns:///cell.test:7400": "192.0.2.1:7400", "dns+srv:///cell.test": "at-192-0-2-1.test:7400",
	} {
		_, err := client.Dial(ctx, target, client.WithResolver(dns.Resolver()))
		require.ErrorIs(t, err, client.ErrInvalid)
		require.ErrorContains(t, err, "the address "+addr+" of "+target+" is not on the loopback interface, and the connection is plain: configure TLS")
	}
	require.NoError(t, ctx.Err())
}

// While the DNS server fails, Dial asks it again until its context ends.
func TestDialAsksAgainWhileDNSFails(t *testing.T) {
	dns := dnstest.New(t)
	dns.Fail(-1)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err := client.Dial(ctx, "dns:///cell.test:7400", client.WithResolver(dns.Resolver()))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NotErrorIs(t, err, client.ErrInvalid)
	require.ErrorContains(t, err, "dns:///cell.test:7400: the lookup of the A or AAAA records of cell.test failed: ")
	require.ErrorContains(t, err, "see whether the DNS server of this machine answers")

	dns.SetHosts("cell.test", "192.0.2.1")
	ctx, cancel = context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	dns.Fail(9) // more than one lookup asks
	_, err = client.Dial(ctx, "dns:///cell.test:7400", client.WithResolver(dns.Resolver()))
	require.ErrorContains(t, err, "192.0.2.1:7400 of dns:///cell.test:7400 is not on the loopback interface", "it was found at last")
}
