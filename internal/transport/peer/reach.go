package peer

import (
	"context"
	"net"

	"github.com/chubbycell/chubby/internal/transport/reach"
)

// reach connects to a host and port. The time for the connection counts from the end of the lookup of the host's name.
// A lookup takes longer than that time where the first of several DNS servers is down, and each attempt has its own.
func (t timing) reach(ctx context.Context, addr string) (net.Conn, error) {
	d := &net.Dialer{Timeout: t.dial, Control: t.limitUnacked}
	host, port, err := net.SplitHostPort(addr)
	if err != nil || !reach.IsName(host) {
		return d.DialContext(ctx, "tcp", addr)
	}
	named, cancel := context.WithTimeout(ctx, t.lookup)
	defer cancel()
	all, err := net.DefaultResolver.LookupHost(named, host)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
	}
	return reach.Any(ctx, d, reach.Join(all, port))
}
