package client

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/chubbycell/chubby/internal/transport/dnstest"
)

// However often replicas are not reached, their addresses are read once in five seconds, and at once the first time. What
// cannot be read is not used.
func TestAddressesAreNotReadTooOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "cell.json")
		r, err := newRefresher(Target{}, dialOptions{file: file}, "")
		require.NoError(t, err)
		begun, bad := time.Now(), errors.New("bad")
		var at []time.Duration
		var told []map[uint32]bool
		used := 0
		r.read = func(_ context.Context, missing map[uint32]bool, isMixed bool) (map[uint32]string, error) {
			at, told = append(at, time.Since(begun)), append(told, missing)
			require.Equal(t, len(at) == 2, isMixed)
			if len(at) == 2 {
				return nil, bad
			}
			return map[uint32]string{1: "a:1"}, nil
		}
		r.use = func(map[uint32]string) { used++ }
		for i := range 11 {
			why := status.Error(codes.Unavailable, "connection refused")
			if i == 3 {
				why = status.Error(codes.FailedPrecondition, "this is another replica")
			}
			r.unreached(uint32(i%2+1), why)
			synctest.Wait()
			time.Sleep(time.Second)
		}
		require.Equal(t, []time.Duration{0, 5 * time.Second, 10 * time.Second}, at)
		require.Equal(t, []map[uint32]bool{{1: true}, {1: true, 2: true}, {1: true, 2: true}}, told)
		require.Equal(t, 2, used)
		r.close()
		r.unreached(1, bad)
		synctest.Wait()
		require.Len(t, at, 3, "it is closed")
	})
}

// A cell file that has become bad, or that of another cell, is not used.
func TestABadCellFileKeepsTheAddresses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cell.json")
	old := Target{Cell: "prod", Replicas: map[uint32]string{1: "a:1"}}
	for text, why := range map[string]string{
		``:                               "EOF",
		`{"cell": "prod"}`:               "no replicas",
		`{"replicas": {"1": "nowhere"}}`: "give host:port",
		`{"cell": "test", "replicas": {"1": "b:1"}}`:           "it is that of cell test now, and was that of prod: dial again",
		`{"cell": "prod", "discover": "dns+srv:///prod.test"}`: "it had replicas, and has discover now: dial again",
	} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		_, err := old.readAgain(file)
		require.ErrorContains(t, err, why)
	}
	require.NoError(t, os.WriteFile(file, []byte(`{"cell": "prod", "replicas": {"1": "b:1"}}`), 0o600))
	got, err := old.readAgain(file)
	require.NoError(t, err)
	require.Equal(t, map[uint32]string{1: "b:1"}, got)
}

// A replica with two addresses that is not reached at one gets the other. A DNS that fails, or has no records any more,
// changes nothing. No address is asked whose replica is known.
func TestAReplicaGetsItsOtherAddress(t *testing.T) {
	dns := dnstest.New(t)
	dns.SetHosts("cell.test", "127.0.0.1", "::1")
	d, err := newDiscovery(Target{Discover: "dns:///cell.test:1"}, dialOptions{resolver: dns.Resolver()}, "")
	require.NoError(t, err)
	const first, second = "127.0.0.1:1", "[::1]:1"
	p := &places{d: d, current: map[uint32]string{1: first}, known: map[string]uint32{first: 1, second: 1}}
	for _, x := range []struct {
		missing bool
		want    string
	}{{false, first}, {true, second}, {false, second}, {true, first}} {
		got, err := p.read(t.Context(), map[uint32]bool{1: x.missing}, false)
		require.NoError(t, err)
		require.Equal(t, map[uint32]string{1: x.want}, got)
	}
	dns.Fail(-1)
	_, err = p.read(t.Context(), nil, false)
	require.ErrorContains(t, err, "the lookup of the A or AAAA records of cell.test failed")
	dns.Fail(0)
	dns.SetHosts("cell.test")
	_, err = p.read(t.Context(), nil, false)
	require.ErrorContains(t, err, "DNS has no A or AAAA records of cell.test")
	dns.SetHosts("cell.test", "127.0.0.1")
	_, err = p.read(t.Context(), nil, true)
	require.ErrorContains(t, err, "dns:///cell.test:1: no address answers: 127.0.0.1:1: ")
	require.Equal(t, map[uint32]string{1: first}, p.current)
}
