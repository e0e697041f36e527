// Package reach is concurrent: it connects to hosts by name, also where DNS answers slowly.
package reach

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"
)

const (
	// LookupTime is how long a name may take to be resolved. Where the first of several DNS servers is down, resolvers
	// ask the next one after five seconds, and twice each server.
	LookupTime = 15 * time.Second
	// keepFor is how long the result of a lookup that outlived its attempt is good for the next one.
	keepFor = 5 * time.Second
)

// Any connects to one of several addresses, host:port each, of which there is at least one: to that which answers first.
// The error is that of the first address.
func Any(ctx context.Context, d *net.Dialer, addrs []string) (net.Conn, error) {
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

// Join is all hosts with a port.
func Join(hosts []string, port string) []string {
	all := make([]string, len(hosts))
	for i, host := range hosts {
		all[i] = net.JoinHostPort(host, port)
	}
	return all
}

// IsName reports whether a host has to be resolved.
func IsName(host string) bool { return host != "" && net.ParseIP(host) == nil }

// Hosts resolves names of hosts for attempts to connect that end sooner than a lookup may take. Such a lookup goes on,
// and the next attempt has its result: one that began anew each time would never have any. Its methods are safe for
// concurrent use.
type Hosts struct {
	resolver *net.Resolver
	ctx      context.Context
	stop     context.CancelFunc
	wg       sync.WaitGroup

	mu    sync.Mutex
	under map[string]*lookup // by name; also those that are over, until an attempt takes the result
}

// lookup is that of one name.
type lookup struct {
	done  chan struct{} // closed when the rest is there
	addrs []string
	err   error
	at    time.Time
}

// NewHosts returns Hosts that ask a resolver; nil: net.DefaultResolver. Close them after use.
func NewHosts(r *net.Resolver) *Hosts {
	if r == nil {
		r = net.DefaultResolver
	}
	h := &Hosts{resolver: r, under: map[string]*lookup{}}
	h.ctx, h.stop = context.WithCancel(context.Background())
	return h
}

// Close ends all lookups. It may be called again.
func (h *Hosts) Close() {
	h.mu.Lock()
	h.stop()
	h.mu.Unlock()
	h.wg.Wait()
}

// Dial connects to a host and port, until ctx ends.
func (h *Hosts) Dial(ctx context.Context, addr string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || !IsName(host) {
		return new(net.Dialer).DialContext(ctx, "tcp", addr)
	}
	all, err := h.find(ctx, host)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
	}
	return Any(ctx, new(net.Dialer), Join(all, port))
}

// find returns the addresses of a name.
func (h *Hosts) find(ctx context.Context, name string) ([]string, error) {
	l, err := h.look(name)
	if err != nil {
		return nil, err
	}
	select {
	case <-l.done:
	case <-ctx.Done():
		return nil, &net.DNSError{Err: "no answer in time", Name: name, IsTimeout: true}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.under[name] == l {
		delete(h.under, name)
	}
	return l.addrs, l.err
}

// look returns the lookup of a name that is under way, or over for a short time only, and begins one if there is none.
func (h *Hosts) look(name string) (*lookup, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ctx.Err() != nil {
		return nil, fmt.Errorf("lookup %s: %w", name, net.ErrClosed)
	}
	if l := h.under[name]; l != nil && !l.isOld() {
		return l, nil
	}
	l := &lookup{done: make(chan struct{})}
	h.under[name] = l
	h.wg.Go(func() {
		ctx, cancel := context.WithTimeout(h.ctx, LookupTime)
		defer cancel()
		l.addrs, l.err = h.resolver.LookupHost(ctx, name)
		l.at = time.Now()
		close(l.done)
	})
	return l, nil
}

// isOld reports whether a lookup ended too long ago.
func (l *lookup) isOld() bool {
	select {
	case <-l.done:
		return time.Since(l.at) > keepFor
	default:
		return false
	}
}
