package bench

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/chubbycell/chubby/client"
)

const (
	dialing = 16              // sessions that are opened at one time
	goodbye = 2 * time.Second // how long the end of a session is waited for
)

// sessions are those of the clients of one row.
type sessions []*client.Client

// dialer is how the clients of a row get sessions: the principal of a session depends on its
// number if there are several.
type dialer struct {
	target     string
	principals int
	timeout    time.Duration // how long a session may take to open
}

func (d dialer) dial(ctx context.Context, number int) (*client.Client, error) {
	// It is the cell that is measured: no cache.
	options := []client.Option{client.WithOwnConnections(), client.WithConfig(client.Config{Cache: client.Cache{Off: true}})}
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
			all.close()
			return nil, err
		}
	}
	return all, nil
}

// close ends the sessions, and with them handles, locks and files.
func (all sessions) close() {
	ctx, cancel := context.WithTimeout(context.Background(), goodbye)
	defer cancel()
	var wg sync.WaitGroup
	for _, cl := range all {
		if cl != nil {
			wg.Go(func() { _ = cl.Close(ctx) }) // what is not said expires at the cell
		}
	}
	wg.Wait()
}
