package simtest_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim/scenario"
	"github.com/chubbycell/chubby/sim/simtest"
)

// listen makes one turn of a program that hears of a file by a callback (client.Events.Each), writes the file, and
// stops listening.
func listen(ctx context.Context, p scenario.Program) error {
	w := p.World()
	f, err := p.Client().Open(ctx, "/ls/local/notice", client.OpenOptions{
		Rights: client.Write, Create: client.CreateMay, Events: client.WantContents | client.WantFailover | client.WantInvalid,
	})
	if err != nil {
		return err
	}
	defer func() { _ = f.Close(ctx) }()
	running, stopped := false, false
	stop := f.Events().Each(ctx, func(e client.Event) {
		switch {
		case running:
			w.Break("E1", "the callback is called while it runs, with %v", e.Kind)
		case stopped:
			w.Break("E1", "the callback is called after stop has returned, with %v", e.Kind)
		}
		running = true
		w.Count("heard")
		_ = p.Sleep(ctx, p.Draw().Duration(0, 100*time.Millisecond)) // events wait meanwhile
		running = false
	})
	for range 3 {
		if _, err := f.SetContents(ctx, "news", 0); err != nil {
			return err
		}
	}
	if err := p.Sleep(ctx, p.Draw().Duration(0, 200*time.Millisecond)); err != nil {
		return err
	}
	stop()
	stopped = true
	return p.Sleep(ctx, 100*time.Millisecond)
}

// A callback hears of changes in cells whose machines fail. It runs once at a time, and is not called after stop.
func TestACallbackHearsOfAFile(t *testing.T) {
	totals := simtest.Program{Turn: listen, Options: simtest.Options{Seeds: 2, Clients: 3, Judge: "E1"}}.Run(t)
	require.NotZero(t, totals.Counter("heard").Sum, "no callback was called")
}
