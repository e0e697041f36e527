package replica

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/wal/vfs"
)

// wires is a Transport that hands answers to the only client of a replica.
type wires struct {
	to func(from client.Replica, msg []byte)
}

func (w *wires) ToPeer(paxos.NodeID, []byte) {}

func (w *wires) ToClient(_ core.Addr, wire []byte) { go w.to(client.Replica{ID: 1}, wire) }

// Calls that wait in the inbox when the loop takes them in share a slot of the log, and so one vote
// and one sync.
func TestCallsThatHaveComeShareASlot(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cfg := driver.DefaultConfig()
	cfg.Core.Paxos.ID, cfg.Core.Paxos.Seed, cfg.Core.Paxos.Members = 1, 1, []paxos.NodeID{1}
	w := &wires{}
	var r *Replica
	g := client.NewRuntime(func(_ client.Replica, msg []byte) { r.FromClient(1, "anne", msg) })
	w.to = g.Deliver
	r, err := Start(Config{Driver: cfg, FS: vfs.NewOS(t.TempDir()), Dir: "data", Transport: w})
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Stop()) }()
	cl := client.New(g, client.Config{Replicas: []uint32{1}, Draw: Entropy})
	defer g.Close()
	require.NoError(t, cl.Ready(ctx))
	require.NoError(t, cl.Put(ctx, "row", "1"))
	before, err := r.Status(ctx)
	require.NoError(t, err)

	const calls = 40
	busy, free := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		require.NoError(t, r.ask(ctx, func(*driver.Driver, time.Time) { close(busy); <-free }))
	})
	<-busy
	for i := range calls {
		wg.Go(func() { require.NoError(t, cl.Put(ctx, fmt.Sprint("row ", i), "2")) })
	}
	require.Eventually(t, func() bool { return r.inbox.len() >= calls }, time.Minute, time.Millisecond)
	close(free)
	wg.Wait()
	after, err := r.Status(ctx)
	require.NoError(t, err)
	require.Less(t, after.Applied-before.Applied, paxos.Slot(calls/4), "slots for %d calls", calls)
	require.NoError(t, cl.Close(ctx))
}
