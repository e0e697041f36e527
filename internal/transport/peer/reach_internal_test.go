package peer

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/transport/dnstest"
)

// slowly has names resolved by a DNS server, each answer of which takes some time, as where the first of two servers is down.
func slowly(t *testing.T, s *dnstest.Server, by time.Duration) {
	was := net.DefaultResolver
	t.Cleanup(func() { net.DefaultResolver = was })
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(by):
			return new(net.Dialer).DialContext(ctx, "udp", s.Addr)
		}
	}}
}

// A name that is resolved slowly is reached all the same, and by whichever of its addresses answers.
func TestANameThatIsResolvedSlowlyIsReached(t *testing.T) {
	dns := dnstest.New(t)
	slowly(t, dns, 1200*time.Millisecond)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	dns.SetHosts("far.test", "127.0.0.2", "127.0.0.1")
	limits := defaultTiming(1)
	limits.dial = time.Second

	conn, err := limits.reach(t.Context(), net.JoinHostPort("far.test", port))
	require.NoError(t, err)
	require.Equal(t, l.Addr().String(), conn.RemoteAddr().String())
	require.NoError(t, conn.Close())

	slowly(t, dns, time.Hour)
	limits.lookup = 100 * time.Millisecond
	_, err = limits.reach(t.Context(), net.JoinHostPort("far.test", port))
	require.ErrorContains(t, err, "lookup far.test")
	var timeout net.Error
	require.ErrorAs(t, err, &timeout)
	require.True(t, timeout.Timeout())
	slowly(t, dns, 0)
	limits.lookup = defaultTiming(1).lookup
	_, err = limits.reach(t.Context(), net.JoinHostPort("nowhere.test", port))
	require.ErrorContains(t, err, "no such host")
	dns.SetHosts("down.test", "127.0.0.2", "127.0.0.3")
	_, err = limits.reach(t.Context(), net.JoinHostPort("down.test", port))
	require.ErrorContains(t, err, "127.0.0.2:"+port, "of the first address: %v", err)
}
