package chubbytest_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/chubbytest"
)

const lease = 10 * time.Second

// cached begins with a cell, and with two clients that know its master and have leases.
func cached(t *testing.T, f func(ctx context.Context, cell *chubbytest.Cell, reader, writer *client.Client)) {
	synctest.Test(t, func(t *testing.T) {
		cell := chubbytest.Start(t, chubbytest.Options{Lease: lease, Grace: time.Minute})
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		reader, writer := cell.Client(t), cell.Client(t)
		put(t, ctx, writer, "f", "first")
		_, err := reader.Open(ctx, "/ls/local/none", client.OpenOptions{})
		require.ErrorIs(t, err, client.ErrNotFound)
		time.Sleep(time.Second)
		f(ctx, cell, reader, writer)
	})
}

func put(t *testing.T, ctx context.Context, c *client.Client, name, text string) {
	h, err := c.Open(ctx, "/ls/local/"+name, client.OpenOptions{Rights: client.Read | client.Write, Create: client.CreateMay})
	require.NoError(t, err)
	_, err = h.SetContents(ctx, text, 0)
	require.NoError(t, err)
	require.NoError(t, h.Close(ctx))
}

// look reads what a program may read of a cell: a file, a directory, and a name that is absent.
func look(ctx context.Context, c *client.Client) (text string, names []string, err error) {
	f, err := c.Open(ctx, "/ls/local/f", client.OpenOptions{})
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = f.Close(ctx) }()
	if text, _, err = f.Contents(ctx); err != nil {
		return "", nil, err
	}
	root, err := c.Open(ctx, "/ls/local", client.OpenOptions{})
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = root.Close(ctx) }()
	names, err = root.Names(ctx)
	return text, names, err
}

// A client that no message leaves or reaches reads what it has read before, and Opens, for as long as its
// lease runs.
func TestWhatIsCachedIsReadWithoutTheCell(t *testing.T) {
	cached(t, func(ctx context.Context, cell *chubbytest.Cell, reader, _ *client.Client) {
		_, _, err := look(ctx, reader)
		require.NoError(t, err)
		cell.CutClient(reader)
		for range 10 {
			text, names, err := look(ctx, reader)
			require.NoError(t, err)
			require.Equal(t, "first", text)
			require.Equal(t, []string{"acl", "f"}, names)
		}
		require.NotZero(t, reader.Status().Cache.Hits)
		time.Sleep(lease)
		soon, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		_, _, err = look(soon, reader)
		require.ErrorIs(t, err, client.ErrJeopardy)
	})
}

// An Open by its full path that finds no node is cached, and answers later Opens by the handle of the directory
// too. What an Open by the handle of a directory finds absent is not cached.
func TestAnAbsenceIsCachedIfTheFullPathWasOpened(t *testing.T) {
	cached(t, func(ctx context.Context, _ *chubbytest.Cell, reader, writer *client.Client) {
		_, err := writer.Open(ctx, "/ls/local/d", client.OpenOptions{Create: client.CreateMust, Directory: true})
		require.NoError(t, err)
		d, err := reader.Open(ctx, "/ls/local/d", client.OpenOptions{})
		require.NoError(t, err)
		below := func() error { _, err := d.Open(ctx, "x", client.OpenOptions{}); return err }
		full := func() error { _, err := reader.Open(ctx, "/ls/local/d/x", client.OpenOptions{}); return err }
		hits := reader.Status().Cache.Hits
		for i, c := range []struct {
			open func() error
			hits uint64
		}{{below, 0}, {below, 0}, {full, 0}, {full, 1}, {below, 2}} {
			require.ErrorIs(t, c.open(), client.ErrNotFound)
			require.Equal(t, c.hits, reader.Status().Cache.Hits-hits, "Open %d", i)
		}
		put(t, ctx, writer, "d/x", "there now")
		require.NoError(t, below())
	})
}

// A write is seen by a client that has cached the file, and waits for it no longer than one lease.
func TestAWriteIsSeenByClientsThatCache(t *testing.T) {
	cached(t, func(ctx context.Context, cell *chubbytest.Cell, reader, writer *client.Client) {
		for _, text := range []string{"second", "third"} {
			_, _, err := look(ctx, reader)
			require.NoError(t, err)
			began := time.Now()
			put(t, ctx, writer, "f", text)
			require.Less(t, time.Since(began), time.Second)
			got, _, err := look(ctx, reader)
			require.NoError(t, err)
			require.Equal(t, text, got)
		}
		_, err := reader.Open(ctx, "/ls/local/new", client.OpenOptions{})
		require.ErrorIs(t, err, client.ErrNotFound)
		put(t, ctx, writer, "new", "x")
		_, err = reader.Open(ctx, "/ls/local/new", client.OpenOptions{})
		require.NoError(t, err)
		_, names, err := look(ctx, reader)
		require.NoError(t, err)
		require.Contains(t, names, "new")

		cell.CutClient(reader)
		began := time.Now()
		put(t, ctx, writer, "f", "fourth")
		waited := time.Since(began)
		require.Greater(t, waited, time.Second, "it waits for the lease of the one that is cut off")
		require.LessOrEqual(t, waited, lease+lease/4)
	})
}

// A fail-over in the middle: what a client reads afterwards is what is so.
func TestACacheAndAFailover(t *testing.T) {
	cached(t, func(ctx context.Context, cell *chubbytest.Cell, reader, writer *client.Client) {
		for _, text := range []string{"second", "third"} {
			_, _, err := look(ctx, reader)
			require.NoError(t, err)
			cell.Resign(ctx)
			put(t, ctx, writer, "f", text)
			got, _, err := look(ctx, reader)
			require.NoError(t, err)
			require.Equal(t, text, got)
			time.Sleep(time.Second)
			hits := reader.Status().Cache.Hits
			for range 3 {
				_, _, err = look(ctx, reader)
				require.NoError(t, err)
			}
			require.Greater(t, reader.Status().Cache.Hits, hits)
		}
	})
}

// A client may have the Config of its program; what that leaves at zero is of the cell.
func TestAClientHasTheConfigOfItsProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cell := chubbytest.Start(t, chubbytest.Options{})
		cl := cell.Client(t, client.WithConfig(client.Config{Replicas: []uint32{77}, Cache: client.Cache{Off: true}}))
		h, err := cl.Open(t.Context(), "/ls/local/f", client.OpenOptions{Create: client.CreateMay})
		require.NoError(t, err)
		for range 5 {
			_, _, err = h.Contents(t.Context())
			require.NoError(t, err)
		}
		require.Zero(t, cl.Status().Cache)
	})
}
