package client_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
)

// One client, two cells whose replicas have the same ids: each name goes to its own cell, each answer to the session
// with that cell.
func TestNamesFindTheirCells(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Minute)
		far := newCell()
		far.master = 2
		sent := map[string]int{}
		var rt *client.Goroutines
		rt = client.NewRuntime(func(to client.Replica, msg []byte) {
			w.mu.Lock()
			sent[to.Cell]++
			w.mu.Unlock()
			cell := w.cell
			if to.Cell == "far" {
				cell = far
			}
			time.AfterFunc(time.Millisecond, func() {
				cell.handle(to.ID, msg, func(answer []byte) { time.AfterFunc(time.Millisecond, func() { rt.Deliver(to, answer) }) })
			})
		})
		n := uint64(0)
		cfg := client.Config{Replicas: []uint32{1, 2, 3}, Draw: func() uint64 { n += 0x9e3779b97f4a7c15; return n }}
		c := client.New(rt, cfg, client.WithName("near"), client.WithCells(map[string][]uint32{"far": {1, 2, 3}}))
		for _, name := range []string{"/ls/near/a", "/ls/local/a"} {
			f, err := c.Open(ctx, name, client.OpenOptions{Create: client.CreateMay})
			require.NoError(t, err)
			require.Equal(t, name == "/ls/near/a", f.Created())
		}
		require.Zero(t, sent["far"], "no session is opened before it is needed")
		_, err := c.Open(ctx, "/ls/far/a", client.OpenOptions{})
		require.ErrorIs(t, err, client.ErrNotFound)
		_, err = c.Open(ctx, "/ls/far/a", client.OpenOptions{Create: client.CreateMust})
		require.NoError(t, err)
		require.Positive(t, sent["far"])
		require.NoError(t, c.Put(ctx, "k", "v"), "rows are those of the own cell")
		w.cell.set(func() { require.Equal(t, map[string]string{"k": "v"}, w.cell.rows) })

		events := c.Events()
		far.set(func() { far.failover(3) })
		w.cell.set(func() { w.cell.failover(1) })
		cells := []string{next(t, ctx, events).Cell, next(t, ctx, events).Cell}
		require.ElementsMatch(t, []string{"near", "far"}, cells)

		rt.Deliver(client.Replica{ID: 99}, []byte("from a stranger"))
		rt.Deliver(client.Replica{Cell: "near", ID: 1}, []byte("from a stranger: the local cell has no name in an address"))
		require.Zero(t, c.Status().Malformed)
		rt.ReportUnreachable(client.Replica{Cell: "far", ID: 1})
		w.cell.set(func() { require.Equal(t, uint32(1), w.cell.master) })
		require.Equal(t, uint32(1), c.Status().Target, "the hint is about a replica of the other cell")
		require.NoError(t, c.Close(ctx))
		far.set(func() { require.Empty(t, far.sessions) })
		rt.Close()
	})
}

func TestCellsThatCannotBe(t *testing.T) {
	rt := client.NewRuntime(func(client.Replica, []byte) { t.Error("sent something") })
	cfg := client.Config{Replicas: []uint32{1, 2}, Draw: client.Entropy}
	for _, row := range []struct {
		why     string
		options []client.Option
	}{
		{`cell name "local" is invalid, reserved or used twice`, []client.Option{client.WithName("local")}},
		{`cell name "No Cell" is invalid, reserved or used twice`, []client.Option{client.WithName("No Cell")}},
		{`cell name "a" is invalid, reserved or used twice`, []client.Option{client.WithName("a"), client.WithCells(map[string][]uint32{"a": {3}})}},
		{"session: replica id 3 is listed twice", []client.Option{client.WithCells(map[string][]uint32{"b": {3, 2, 3}})}},
		{"WithCell: only for the connections that Dial makes, and this Client has none", []client.Option{client.WithCell("b", "1=h:1")}},
		{"session: no replicas", []client.Option{client.WithCells(map[string][]uint32{"b": nil})}},
	} {
		c := client.New(rt, cfg, row.options...)
		_, err := c.Open(t.Context(), "/ls/local/f", client.OpenOptions{})
		require.EqualError(t, err, `client: open "/ls/local/f": invalid: `+row.why)
		require.NoError(t, c.Close(t.Context()))
	}
	rt.Close()
}
