package bench

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/chubbytest"
)

// A cell that does not answer ends a run when Timeout is over: not when the caller's time is.
func TestARunWithoutACellEndsAfterItsTimeout(t *testing.T) {
	mute, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer mute.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	report, err := Run(ctx, Config{
		Target: "1=" + mute.Addr().String(), Workloads: []string{"get"}, Clients: []int{1}, For: time.Second, Timeout: 50 * time.Millisecond,
	})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.False(t, report.Interrupted)
	require.Empty(t, report.Rows)
}

// After a fail-over the cell keeps the ephemeral files of clients that are gone for a minute more, and a run whose
// master was stopped meanwhile deletes them itself.
func TestARunDeletesItsFilesAfterAFailover(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cell := chubbytest.Start(t, chubbytest.Options{})
	r := &run{cfg: Config{Timeout: time.Minute}, dir: "/ls/local/bench-a", own: cell.Client(t), report: &Report{}}
	_, err := r.own.Open(ctx, r.dir, client.OpenOptions{Rights: client.Write, Create: client.CreateMust, Directory: true})
	require.NoError(t, err)
	gone := cell.Client(t)
	for i := range 2 {
		_, err = (&worker{number: i, cl: gone, dir: r.dir}).openOwn(ctx)
		require.NoError(t, err)
	}
	cell.Resign(ctx)
	require.NoError(t, gone.Close(ctx))
	r.end(ctx)
	require.NoError(t, r.report.Left)
	_, err = cell.Client(t).Open(ctx, r.dir, client.OpenOptions{})
	require.ErrorIs(t, err, client.ErrNotFound)
}

// What stays in the cell after a run is told: here a file that another client keeps.
func TestARunTellsWhatStays(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cell := chubbytest.Start(t, chubbytest.Options{})
	put := func(cl *client.Client, name string, directory bool) {
		h, err := cl.Open(ctx, name, client.OpenOptions{Rights: client.Write, Create: client.CreateMust, Directory: directory})
		require.NoError(t, err)
		require.NoError(t, h.Close(ctx))
	}
	for filed, left := range map[string]string{"bench-a": "/ls/local/bench-a stays in the cell: ", "bench-b": ""} {
		r := &run{cfg: Config{Timeout: time.Minute}, dir: "/ls/local/" + filed, own: cell.Client(t), report: &Report{}}
		put(r.own, r.dir, true)
		if left != "" {
			put(r.own, r.dir+"/kept", false)
		}
		require.NoError(t, r.own.Put(ctx, r.dir+"/row", "1"))
		r.end(ctx)
		if left == "" {
			require.NoError(t, r.report.Left)
			continue
		}
		require.ErrorContains(t, r.report.Left, left)
		require.ErrorIs(t, r.report.Left, client.ErrNotEmpty)
	}
}
