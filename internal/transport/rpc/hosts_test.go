package rpc_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/transport/dnstest"
	"github.com/chubbycell/chubby/internal/transport/rpc"
)

// A replica is reached by its name also where that takes longer to be resolved than gRPC gives an attempt to connect: the
// first of two DNS servers is down, for instance.
func TestAReplicaWhoseNameIsResolvedSlowlyIsReached(t *testing.T) {
	t.Parallel()
	r := serve(t, nil)
	_, port, err := net.SplitHostPort(r.addr)
	require.NoError(t, err)
	dns := dnstest.New(t)
	dns.SetHosts("far.test", "127.0.0.1")
	p := dial(t, net.JoinHostPort("far.test", port), func(c *rpc.ClientConfig) {
		c.Resolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(3500 * time.Millisecond):
				return new(net.Dialer).DialContext(ctx, "udp", dns.Addr)
			}
		}}
	})
	for end := time.Now().Add(wait); ; {
		require.True(t, time.Now().Before(end))
		p.Send(1, []byte("x"))
		select {
		case got := <-p.got:
			require.Equal(t, "1: ann said x", got)
			return
		case <-p.failed:
		}
	}
}
