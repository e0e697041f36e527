package reach_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/chubbycell/chubby/internal/transport/dnstest"
	"github.com/chubbycell/chubby/internal/transport/reach"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// slow asks a server after some time, as where the first of two servers is down.
func slow(s *dnstest.Server, by time.Duration) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(by):
			return new(net.Dialer).DialContext(ctx, "udp", s.Addr)
		}
	}}
}

// A lookup that takes longer than an attempt to connect serves a later one.
func TestALookupOutlivesAnAttempt(t *testing.T) {
	dns := dnstest.New(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	dns.SetHosts("far.test", "127.0.0.2", "127.0.0.1")
	h := reach.NewHosts(slow(dns, 400*time.Millisecond))
	defer h.Close()
	attempt := func(host string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		return h.Dial(ctx, net.JoinHostPort(host, port))
	}
	_, err = attempt("far.test")
	require.ErrorContains(t, err, "lookup far.test: no answer in time")
	var timeout net.Error
	require.ErrorAs(t, err, &timeout)
	require.True(t, timeout.Timeout())
	var conn net.Conn
	require.Eventually(t, func() bool {
		conn, err = attempt("far.test")
		return err == nil
	}, 20*time.Second, 10*time.Millisecond, "%v", err)
	require.Equal(t, l.Addr().String(), conn.RemoteAddr().String())
	require.NoError(t, conn.Close())
	require.NoError(t, func() error { c, err := attempt("127.0.0.1"); c.Close(); return err }(), "no name")

	_, err = attempt("far.test")
	require.Error(t, err, "each result serves once")
	h.Close()
	_, err = attempt("far.test")
	require.ErrorIs(t, err, net.ErrClosed)
}

// Of the addresses of a host the first that answers is taken, and the error is that of the first one.
func TestAnyAddressOfAHostWillDo(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	conn, err := reach.Any(t.Context(), new(net.Dialer), reach.Join([]string{"127.0.0.2", "127.0.0.1"}, port))
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	_, err = reach.Any(t.Context(), new(net.Dialer), reach.Join([]string{"127.0.0.2", "127.0.0.3"}, port))
	require.ErrorContains(t, err, "127.0.0.2:"+port)
	require.True(t, reach.IsName("localhost"))
	require.False(t, reach.IsName("::1") || reach.IsName(""))
}
