package reach_test

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/chubbycell/chubby/internal/transport/dnstest"
	"github.com/chubbycell/chubby/internal/transport/reach"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// late is a resolver that asks a server only when it may.
type late struct {
	*dnstest.Server
	may   chan struct{} // closed when it may
	asked atomic.Int32  // how often it wanted to ask
}

func (l *late) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		l.asked.Add(1)
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-l.may:
			return new(net.Dialer).DialContext(ctx, "udp", l.Addr)
		}
	}}
}

// A lookup that takes longer than an attempt to connect serves a later one.
func TestALookupOutlivesAnAttempt(t *testing.T) {
	dns := &late{Server: dnstest.New(t), may: make(chan struct{})}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	dns.SetHosts("far.test", "127.0.0.2", "127.0.0.1")
	h := reach.NewHosts(dns.resolver())
	defer h.Close()
	attempt := func(host string, within time.Duration) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(t.Context(), within)
		defer cancel()
		return h.Dial(ctx, net.JoinHostPort(host, port))
	}
	_, err = attempt("far.test", 100*time.Millisecond)
	require.ErrorContains(t, err, "lookup far.test: no answer in time")
	var timeout net.Error
	require.ErrorAs(t, err, &timeout)
	require.True(t, timeout.Timeout())
	close(dns.may)
	for _, host := range []string{"far.test", "127.0.0.1"} {
		conn, err := attempt(host, 20*time.Second)
		require.NoError(t, err)
		require.Equal(t, l.Addr().String(), conn.RemoteAddr().String())
		require.NoError(t, conn.Close())
	}
	once := dns.asked.Load()
	require.LessOrEqual(t, once, int32(2), "both attempts had one lookup: of addresses of IPv4, and of IPv6")

	conn, err := attempt("far.test", 20*time.Second)
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	require.Greater(t, dns.asked.Load(), once, "each result serves once")
	h.Close()
	_, err = attempt("far.test", 20*time.Second)
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
