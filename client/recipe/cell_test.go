package recipe_test

import (
	"context"
	"log"
	"os"
	"sync"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/wal/vfs"
)

// cell is a real cell of one replica in this process, for the examples. Messages are function calls.
type cell struct {
	replica *replica.Replica
	dir     string

	mu      sync.Mutex
	clients map[core.Addr]*client.Goroutines
}

// ToPeer and ToClient are the replica's transport.
func (c *cell) ToPeer(paxos.NodeID, []byte) {}

func (c *cell) ToClient(to core.Addr, msg []byte) {
	c.mu.Lock()
	rt := c.clients[to]
	c.mu.Unlock()
	rt.Go("network", func() { rt.Deliver(client.Replica{ID: 1}, msg) })
}

// startCell returns a running cell.
func startCell() *cell {
	dir, err := os.MkdirTemp("", "cell")
	if err != nil {
		log.Fatal(err)
	}
	c := &cell{dir: dir, clients: map[core.Addr]*client.Goroutines{}}
	cfg := driver.DefaultConfig()
	cfg.Core.Paxos.ID, cfg.Core.Paxos.Members = 1, []paxos.NodeID{1}
	c.replica, err = replica.Start(replica.Config{Driver: cfg, FS: vfs.NewOS(dir), Dir: "data", Transport: c})
	if err != nil {
		log.Fatal(err)
	}
	return c
}

// stop ends the cell and removes its files.
func (c *cell) stop() {
	if err := c.replica.Stop(); err != nil {
		log.Print(err)
	}
	_ = os.RemoveAll(c.dir)
}

// dial returns a new client of the cell, and a function that closes it.
func (c *cell) dial() (*client.Client, func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	addr := core.Addr(len(c.clients) + 1)
	rt := client.NewRuntime(func(_ client.Replica, msg []byte) { c.replica.FromClient(addr, "ann", msg) })
	c.clients[addr] = rt
	cl := client.New(rt, client.Config{Replicas: []uint32{1}, Rho: 1000, Draw: client.Entropy})
	return cl, func() {
		ctx, cancel := rt.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := cl.Close(ctx); err != nil {
			log.Print(err)
		}
	}
}
