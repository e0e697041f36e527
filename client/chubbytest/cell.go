package chubbytest

import (
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/driver"
)

// Options describe the cell that a test wants. The zero Options are a cell of three replicas with
// the defaults below.
type Options struct {
	// Replicas is the number of replicas of the cell, 1 to 9. Their ids start at 1. Default 3.
	Replicas int
	// Lease is the lease of sessions, at least 100 ms. A client that is cut off for longer than one
	// lease may lose its session, and with it its locks; after two leases it has lost them. Default
	// 1 s.
	Lease time.Duration
	// Grace is for how long a client in jeopardy tries to reach a master before it gives up its
	// session (client.Config). Default 3 s.
	Grace time.Duration
}

// The defaults of Options.
const (
	defaultReplicas = 3
	defaultLease    = time.Second
	defaultGrace    = 3 * time.Second
)

// The bounds of Options.
const (
	maxReplicas = 9
	minLease    = 100 * time.Millisecond
)

// withDefaults returns the Options with defaults in place of zero fields, and an error that names
// the invalid fields.
func (o Options) withDefaults() (Options, error) {
	if o.Replicas == 0 {
		o.Replicas = defaultReplicas
	}
	if o.Lease == 0 {
		o.Lease = defaultLease
	}
	if o.Grace == 0 {
		o.Grace = defaultGrace
	}
	switch {
	case o.Replicas < 1 || o.Replicas > maxReplicas:
		return o, fmt.Errorf("Options.Replicas is %d; 1 to %d, or 0 for %d", o.Replicas, maxReplicas, defaultReplicas)
	case o.Lease < minLease:
		return o, fmt.Errorf("Options.Lease is %v; at least %v, or 0 for %v", o.Lease, minLease, defaultLease)
	case o.Grace < 0:
		return o, fmt.Errorf("Options.Grace is %v; above 0, or 0 for %v", o.Grace, defaultGrace)
	}
	return o, nil
}

// Cell is a cell of replicas in this process. All methods are safe for concurrent use. A method
// that fails the test fails the test that was given to Start, so call it on the goroutine of that
// test.
type Cell struct {
	t       testing.TB
	options Options
	log     *slog.Logger
	disks   []*disk // by id - 1
	watches sync.WaitGroup

	mu      sync.Mutex
	lives   []*life              // by id - 1; nil: the replica is not running
	groups  map[int]int          // the group of each replica in a partition; nil: there is none
	guests  map[core.Addr]*guest // by address
	lastOne core.Addr            // the address that was given out last
}

// Start starts a cell. It returns when the replicas run; the calls of clients wait until there is a
// master. When the test ends, the clients are closed and then the cell is stopped.
//
// The replicas log to the output of the test, which go test prints if the test fails or with -v.
// The test fails if a replica stops by itself.
func Start(t testing.TB, o Options) *Cell {
	t.Helper()
	o, err := o.withDefaults()
	if err != nil {
		t.Fatalf("chubbytest: Start: %v", err)
	}
	c := &Cell{
		t: t, options: o, log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		lives: make([]*life, o.Replicas), guests: map[core.Addr]*guest{},
	}
	for range o.Replicas {
		c.disks = append(c.disks, newDisk())
	}
	t.Cleanup(c.stop)
	for _, id := range c.ids() {
		if err := c.start(id); err != nil {
			t.Fatalf("chubbytest: Start: %v", err)
		}
	}
	return c
}

// stop ends clients and replicas. It runs when the test has ended.
func (c *Cell) stop() {
	for _, g := range c.allGuests() {
		g.close()
	}
	for _, id := range c.ids() {
		c.end(id, false)
	}
	c.watches.Wait()
}

// ids returns the ids of all replicas.
func (c *Cell) ids() []int {
	all := make([]int, c.options.Replicas)
	for i := range all {
		all[i] = i + 1
	}
	return all
}

// checkIDs fails the test if there is no such replica.
func (c *Cell) checkIDs(call string, ids ...int) {
	c.t.Helper()
	for _, id := range ids {
		if id < 1 || id > c.options.Replicas {
			c.t.Fatalf("chubbytest: %s: there is no replica %d; the cell has the replicas 1 to %d", call, id, c.options.Replicas)
		}
	}
}

// The timing of a cell in tests. If the goroutines of a replica wait for longer than electionMin,
// the other replicas consider it dead: on a busy machine a cell changes its master more often, but
// breaks no promise.
const (
	heartbeat   = 20 * time.Millisecond
	electionMin = 150 * time.Millisecond
	electionMax = 300 * time.Millisecond
	grant       = 200 * time.Millisecond // of the lease that lets a master read without the log
	retransmit  = 20 * time.Millisecond
)

// driverConfig is the configuration of one replica.
func (c *Cell) driverConfig(id int) driver.Config {
	d := driver.DefaultConfig()
	p := &d.Core.Paxos
	p.ID, p.Seed = paxos.NodeID(id), client.Entropy()
	for _, member := range c.ids() {
		p.Members = append(p.Members, paxos.NodeID(member))
	}
	p.Heartbeat, p.ElectionMin, p.ElectionMax, p.Retransmit = heartbeat, electionMin, electionMax, retransmit
	p.Lease.Grant = grant
	d.Core.Sessions.LeaseMin, d.Core.Sessions.LeaseMax = c.options.Lease, c.options.Lease
	d.Core.NodeOps.SweepAfter = c.options.Lease + c.options.Grace
	d.FlushAfter = retransmit
	return d
}

// clientConfig is the configuration of clients.
func (c *Cell) clientConfig() client.Config {
	cfg := client.Config{
		Draw: client.Entropy, Grace: c.options.Grace,
		AnswerWait: 100 * time.Millisecond, RetryMin: 5 * time.Millisecond,
		RetryMax: 100 * time.Millisecond, ParkedRetry: 500 * time.Millisecond,
	}
	for _, id := range c.ids() {
		cfg.Replicas = append(cfg.Replicas, uint32(id))
	}
	return cfg
}
