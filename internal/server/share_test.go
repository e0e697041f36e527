package server_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
)

// Clients of one process are one client process to a replica, as long as they are for the same
// cell and the same principal. The last one that is closed closes the connection.
func TestClientsOfOneProcessShareTheirConnections(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := newCell(t, 1)
	require.NoError(t, c.servers[1].Ready(ctx))
	streams := func(want int) {
		t.Helper()
		line := regexp.MustCompile(fmt.Sprintf(`(?m)^chubby_clients %d$`, want))
		require.Eventually(t, func() bool {
			_, text := page(t, c.servers[1], "/metrics")
			return line.MatchString(text)
		}, 20*time.Second, 10*time.Millisecond)
	}
	dial := func(options ...client.Option) *client.Client {
		cl, err := client.Dial(ctx, c.target(), options...)
		require.NoError(t, err)
		return cl
	}
	ann := client.WithPrincipal("ann")
	all := []*client.Client{dial(ann), dial(ann), dial(ann)}
	streams(1)
	bob, alone := dial(client.WithPrincipal("bob")), dial(ann, client.WithOwnConnections())
	streams(3)
	var wg sync.WaitGroup
	for i, cl := range append(all, bob, alone) {
		wg.Go(func() {
			for n := range 50 {
				key, value := fmt.Sprint("k", i), fmt.Sprint(n)
				if err := cl.Put(ctx, key, value); err != nil {
					t.Error(err)
					return
				}
				if got, err := cl.Get(ctx, key); err != nil || got != value {
					t.Errorf("client %d wrote %s and reads %q: %v", i, value, got, err)
					return
				}
			}
		})
	}
	wg.Wait()
	ids := map[string]bool{}
	for _, cl := range append(all, bob, alone) {
		ids[fmt.Sprint(cl.Status().Session)] = true
	}
	require.Len(t, ids, 5, "each has a session of its own")

	require.NoError(t, all[0].Close(ctx))
	require.NoError(t, all[0].Close(ctx), "again")
	require.NoError(t, alone.Close(ctx))
	require.NoError(t, bob.Close(ctx))
	streams(1)
	for _, cl := range all[1:] {
		require.NoError(t, cl.Put(ctx, "after", "x"))
	}
	require.ErrorIs(t, all[0].Put(ctx, "after", "y"), client.ErrClosed)
	short, cancelShort := context.WithCancel(ctx)
	cancelShort()
	_, err := client.Dial(short, c.target(), ann)
	require.ErrorIs(t, err, context.Canceled, "a Dial that fails leaves the others alone")
	for _, cl := range all[1:] {
		require.NoError(t, cl.Put(ctx, "after", "z"))
		require.NoError(t, cl.Close(ctx))
	}
	streams(0)
	again := dial(ann)
	value, err := again.Get(ctx, "after")
	require.NoError(t, err)
	require.Equal(t, "z", strings.TrimSpace(value))
	require.NoError(t, again.Close(ctx))
}
