package peer

import (
	"context"
	"net"
	"sync"
)

// reach connects to a host and port. The time for a connection begins when the name of the host is resolved: where the
// first of several DNS servers is down, that takes longer than a member needs to answer, and each attempt begins anew.
func (t timing) reach(ctx context.Context, addr string) (net.Conn, error) {
	d := &net.Dialer{Timeout: t.dial, Control: t.limitUnacked}
	host, port, err := net.SplitHostPort(addr)
	if err != nil || host == "" || net.ParseIP(host) != nil {
		return d.DialContext(ctx, "tcp", addr)
	}
	named, cancel := context.WithTimeout(ctx, t.lookup)
	all, err := net.DefaultResolver.LookupHost(named, host)
	cancel()
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
	}
	for i, ip := range all {
		all[i] = net.JoinHostPort(ip, port)
	}
	return dialAny(ctx, d, all)
}

// dialAny connects to one of several addresses of a host: to that which answers first. The error is that of the first
// address.
func dialAny(ctx context.Context, d *net.Dialer, addrs []string) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	var mu sync.Mutex
	var first net.Conn
	errs := make([]error, len(addrs))
	for i, addr := range addrs {
		wg.Go(func() {
			conn, err := d.DialContext(ctx, "tcp", addr)
			mu.Lock()
			defer mu.Unlock()
			switch errs[i] = err; {
			case err != nil:
			case first == nil:
				first = conn
				cancel()
			default:
				conn.Close()
			}
		})
	}
	wg.Wait()
	if first != nil {
		return first, nil
	}
	return nil, errs[0]
}
