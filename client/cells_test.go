package client_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
)

// One client, two cells: each name goes to its own.
func TestNamesFindTheirCells(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Minute)
		far := newCell()
		far.master = 12
		sent := map[uint32]int{}
		var rt *client.Goroutines
		rt = client.NewRuntime(func(to uint32, msg []byte) {
			w.mu.Lock()
			sent[to/10]++
			w.mu.Unlock()
			cell := w.cell
			if to > 10 {
				cell = far
			}
			time.AfterFunc(time.Millisecond, func() {
				cell.handle(to, msg, func(answer []byte) { time.AfterFunc(time.Millisecond, func() { rt.Deliver(to, answer) }) })
			})
		})
		n := uint64(0)
		cfg := client.Config{Replicas: []uint32{1, 2, 3}, Draw: func() uint64 { n += 0x9e3779b97f4a7c15; return n }}
		c := client.New(rt, cfg, client.WithName("near"), client.WithCells(map[string][]uint32{"far": {11, 12, 13}}))
		for _, name := range []string{"/ls/near/a", "/ls/local/a"} {
			f, err := c.Open(ctx, name, client.OpenOptions{Create: client.CreateMay})
			require.NoError(t, err)
			require.Equal(t, name == "/ls/near/a", f.Created())
		}
		require.Zero(t, sent[1], "no session is opened before it is needed")
		_, err := c.Open(ctx, "/ls/far/a", client.OpenOptions{})
		require.ErrorIs(t, err, client.ErrNotFound)
		_, err = c.Open(ctx, "/ls/far/a", client.OpenOptions{Create: client.CreateMust})
		require.NoError(t, err)
		require.Positive(t, sent[1])
		require.NoError(t, c.Put(ctx, "k", "v"), "rows are those of the own cell")
		w.cell.set(func() { require.Equal(t, map[string]string{"k": "v"}, w.cell.rows) })

		events := c.Events()
		far.set(func() { far.failover(13) })
		w.cell.set(func() { w.cell.failover(1) })
		cells := []string{next(t, ctx, events).Cell, next(t, ctx, events).Cell}
		require.ElementsMatch(t, []string{"near", "far"}, cells)

		rt.Deliver(99, []byte("from a stranger"))
		require.NoError(t, c.Close(ctx))
		far.set(func() { require.Empty(t, far.sessions) })
		rt.Close()
	})
}

func TestCellsThatCannotBe(t *testing.T) {
	rt := client.NewRuntime(func(uint32, []byte) { t.Error("sent something") })
	cfg := client.Config{Replicas: []uint32{1, 2}, Draw: client.Entropy}
	for _, row := range []struct {
		why     string
		options []client.Option
	}{
		{`cell name "local" is invalid, reserved or used twice`, []client.Option{client.WithName("local")}},
		{`cell name "No Cell" is invalid, reserved or used twice`, []client.Option{client.WithName("No Cell")}},
		{`cell name "a" is invalid, reserved or used twice`, []client.Option{client.WithName("a"), client.WithCells(map[string][]uint32{"a": {3}})}},
		{"replica id 2 belongs to two cells: ids must be unique", []client.Option{client.WithCells(map[string][]uint32{"b": {2}})}},
		{"session: no replicas", []client.Option{client.WithCells(map[string][]uint32{"b": nil})}},
	} {
		c := client.New(rt, cfg, row.options...)
		_, err := c.Open(t.Context(), "/ls/local/f", client.OpenOptions{})
		require.EqualError(t, err, `client: open "/ls/local/f": invalid: `+row.why)
		require.NoError(t, c.Close(t.Context()))
	}
	rt.Close()
}
