package bench

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/chubbycell/chubby/client"
)

const (
	dialing  = 16               // sessions that are opened at one time
	goodbye  = 2 * time.Second  // how long a run that was interrupted, or that failed, waits for the end of a session
	patience = 15 * time.Second // how long another run does: a busy cell still answers
)

// ending is for what a run does at its end. ctx is that of the run.
func ending(ctx context.Context, more time.Duration) (context.Context, context.CancelFunc) {
	limit := patience
	if ctx.Err() != nil {
		limit = goodbye
	}
	return context.WithTimeout(context.WithoutCancel(ctx), limit+more)
}

// sessions are those of the clients of one row.
type sessions []*client.Client

// dialer is how the clients of a row get sessions: the principal of a session depends on its
// number if there are several, and so do its connections if they are shared.
type dialer struct {
	target     string
	principals int
	timeout    time.Duration  // how long a session may take to open
	shared     []*slog.Logger // one for each connection that sessions share; empty: each has its own
}

// newDialer gives each shared connection a logger of its own, which says nothing: only Clients that
// have the same logger share their connections.
func newDialer(cfg Config, principals int) dialer {
	d := dialer{target: cfg.Target, principals: principals, timeout: cfg.Timeout}
	for range cfg.Conns {
		d.shared = append(d.shared, slog.New(slog.DiscardHandler))
	}
	return d
}

// connections is how many connections to each replica so many sessions have. Sessions of two
// principals share none.
func (d dialer) connections(sessions int) int {
	if len(d.shared) == 0 {
		return sessions
	}
	both := make(map[[2]int]bool)
	for number := range sessions {
		both[[2]int{number % d.principals, number % len(d.shared)}] = true
	}
	return len(both)
}

func (d dialer) dial(ctx context.Context, number int) (*client.Client, error) {
	// It is the cell that is measured: no cache.
	options := []client.Option{client.WithConfig(client.Config{Cache: client.Cache{Off: true}})}
	if n := len(d.shared); n > 0 {
		options = append(options, client.WithLogger(d.shared[number%n]))
	} else {
		options = append(options, client.WithOwnConnections())
	}
	if d.principals > 1 {
		options = append(options, client.WithPrincipal(fmt.Sprintf("bench-%d", number%d.principals)))
	}
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	return client.Dial(ctx, d.target, options...)
}

// open opens so many sessions, or none.
func (d dialer) open(ctx context.Context, n int) (sessions, error) {
	all, errs := make(sessions, n), make([]error, n)
	places := make(chan struct{}, dialing)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			all[i], errs[i] = d.dial(ctx, i)
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			all.close(ctx)
			return nil, err
		}
	}
	return all, nil
}

// close ends the sessions, and with them handles, locks and files.
func (all sessions) close(ctx context.Context) {
	ctx, cancel := ending(ctx, 0)
	defer cancel()
	var wg sync.WaitGroup
	for _, cl := range all {
		if cl != nil {
			wg.Go(func() { _ = cl.Close(ctx) }) // what is not said expires at the cell
		}
	}
	wg.Wait()
}
