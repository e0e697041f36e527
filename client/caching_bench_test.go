package client_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
)

// BenchmarkCachedContents reads a file that is kept, and counts the messages of all reads.
func BenchmarkCachedContents(b *testing.B) {
	c := newCell()
	c.caching.on = true
	c.create("f", api.File, false, "contents of a small file")
	var sent atomic.Int64
	var rt *client.Goroutines
	rt = client.NewRuntime(func(to client.Replica, msg []byte) {
		sent.Add(1)
		c.handle(to.ID, msg, func(answer []byte) { go rt.Deliver(to, answer) })
	})
	defer rt.Close()
	cl := client.New(rt, client.Config{Replicas: []uint32{1, 2, 3}, Draw: client.Entropy})
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	f, err := cl.Open(ctx, "/ls/local/f", client.OpenOptions{})
	require.NoError(b, err)
	for cl.Status().Cache.Entries == 0 { // until the lease runs
		_, _, err = f.Contents(ctx)
		require.NoError(b, err)
	}
	_, _, err = f.Contents(ctx)
	require.NoError(b, err)
	before := sent.Load()
	for b.Loop() {
		if _, _, err := f.Contents(ctx); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(sent.Load()-before)/float64(b.N), "messages/op")
	require.NoError(b, cl.Close(ctx))
}
