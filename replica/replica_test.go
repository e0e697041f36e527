package replica_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/logtest"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/disk/backup"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/wal/vfs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// cell is replicas in one process, on the operating system's files, joined by
// function calls.
type cell struct {
	t     *testing.T
	dirs  []string
	tune  func(*driver.Config)
	store store.Options
	place *store.Place
	log   logtest.Log // of all replicas

	mu       sync.Mutex
	replicas map[paxos.NodeID]*replica.Replica
	clients  map[core.Addr]func(from client.Replica, msg []byte)
}

// port is the transport of one replica.
type port struct {
	cell *cell
	id   paxos.NodeID
}

func (p port) ToPeer(to paxos.NodeID, wire []byte) {
	if r := p.cell.replica(to); r != nil {
		r.FromPeer(p.id, wire)
	}
}

func (p port) ToClient(to core.Addr, wire []byte) {
	p.cell.mu.Lock()
	f := p.cell.clients[to]
	p.cell.mu.Unlock()
	if f != nil {
		go f(client.Replica{ID: uint32(p.id)}, wire)
	}
}

func (c *cell) replica(id paxos.NodeID) *replica.Replica {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.replicas[id]
}

func newCell(t *testing.T, n int, more ...func(*cell)) *cell {
	c := &cell{t: t, replicas: map[paxos.NodeID]*replica.Replica{}, clients: map[core.Addr]func(client.Replica, []byte){}}
	c.tune = func(*driver.Config) {}
	for _, f := range more {
		f(c)
	}
	for range n {
		c.dirs = append(c.dirs, t.TempDir())
	}
	for i := range n {
		c.start(paxos.NodeID(i + 1))
	}
	t.Cleanup(func() {
		for i := range n {
			c.stop(paxos.NodeID(i + 1))
		}
	})
	return c
}

func (c *cell) config(id paxos.NodeID, fs vfs.FS) replica.Config {
	cfg := driver.DefaultConfig()
	cfg.Core.Paxos.ID = id
	cfg.Core.Paxos.Seed = uint64(id)
	for i := range c.dirs {
		cfg.Core.Paxos.Members = append(cfg.Core.Paxos.Members, paxos.NodeID(i+1))
	}
	c.tune(&cfg)
	return replica.Config{Driver: cfg, FS: fs, Dir: "data", Transport: port{c, id}, Store: c.store, Backups: c.place, Logger: c.log.Logger()}
}

func (c *cell) start(id paxos.NodeID) {
	r, err := replica.Start(c.config(id, vfs.NewOS(c.dirs[id-1])))
	require.NoError(c.t, err)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.replicas[id] = r
}

func (c *cell) stop(id paxos.NodeID) {
	c.mu.Lock()
	r := c.replicas[id]
	delete(c.replicas, id)
	c.mu.Unlock()
	if r != nil {
		require.NoError(c.t, r.Stop())
	}
}

// client returns a client of all replicas, which keeps a session lease if the cell gives one.
func (c *cell) client(addr core.Addr) *client.Client {
	rt := client.NewRuntime(func(to client.Replica, msg []byte) {
		if r := c.replica(paxos.NodeID(to.ID)); r != nil {
			r.FromClient(addr, "ann", msg)
		}
	})
	var ids []uint32
	for i := range c.dirs {
		ids = append(ids, uint32(i+1))
	}
	cl := client.New(rt, client.Config{Replicas: ids, Rho: 1000, Draw: client.Entropy})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clients[addr] = rt.Deliver
	return cl
}

func TestACellOnGoroutinesAndFilesServesAndSurvivesRestarts(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := newCell(t, 3)
	cl := c.client(1)

	require.NoError(t, cl.Put(ctx, "a", "1"))
	require.NoError(t, cl.CompareAndSet(ctx, "a", client.Value("1"), "2"))
	require.ErrorIs(t, cl.CompareAndSet(ctx, "a", client.Value("1"), "3"), client.ErrConflict)

	for id := range c.dirs { // each replica in turn, the leader among them
		c.stop(paxos.NodeID(id + 1))
		require.NoError(t, cl.Put(ctx, fmt.Sprintf("b%d", id), "x"))
		c.start(paxos.NodeID(id + 1))
	}
	for id := range c.dirs { // all replicas at once
		c.stop(paxos.NodeID(id + 1))
	}
	for id := range c.dirs {
		c.start(paxos.NodeID(id + 1))
	}
	value, err := cl.Get(ctx, "a")
	require.NoError(t, err)
	require.Equal(t, "2", value)
	pairs, err := cl.List(ctx, "b")
	require.NoError(t, err)
	require.Len(t, pairs, 3)
	require.NoError(t, cl.Close(ctx))
}

// One client holds a lock through three masters; then the next client gets it.
func TestALockOutlivesItsMasters(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := newCell(t, 3)
	open := func(cl *client.Client) *client.Handle {
		f, err := cl.Open(ctx, "/ls/local/leader", client.OpenOptions{Rights: client.Read | client.Write, Create: client.CreateMay})
		require.NoError(t, err)
		return f
	}
	ann, bob := c.client(1), c.client(2)
	mine, theirs := open(ann), open(bob)
	lock, err := mine.Acquire(ctx, client.Exclusive)
	require.NoError(t, err)
	_, err = theirs.TryAcquire(ctx, client.Exclusive)
	require.ErrorIs(t, err, client.ErrLockHeld)
	got := make(chan *client.Lock, 1)
	go func() {
		l, err := theirs.Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		got <- l
	}()
	for id := range c.dirs { // each replica in turn, the master among them
		c.stop(paxos.NodeID(id + 1))
		_, err := mine.SetContents(ctx, fmt.Sprint("without ", id+1), 0)
		require.NoError(t, err)
		require.NoError(t, theirs.CheckSequencer(ctx, lock.Sequencer()))
		c.start(paxos.NodeID(id + 1))
	}
	require.Empty(t, got)
	require.NoError(t, lock.Release(ctx))
	next := <-got
	require.ErrorIs(t, mine.CheckSequencer(ctx, lock.Sequencer()), client.ErrStaleSequencer)
	require.NoError(t, mine.CheckSequencer(ctx, next.Sequencer()))
	text, _, err := theirs.Contents(ctx)
	require.NoError(t, err)
	require.Equal(t, "without 3", text)
	require.NoError(t, ann.Close(ctx))
	require.NoError(t, bob.Close(ctx))
	require.ErrorIs(t, next.Err(), client.ErrClosed)
}

// A replica that was away finds that no peer has the slots that it lacks, fetches a snapshot, and is
// then needed for the quorum of two. Logs stay short.
func TestALaggardIsHelpedByASnapshot(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := newCell(t, 3, func(c *cell) {
		c.tune = func(h *driver.Config) { h.SnapshotEvery, h.KeepSlots, h.PieceBytes = 4, 2, 300 }
		c.store = store.Options{SegmentSize: 512, ChunkSize: 200}
	})
	cl := c.client(1)
	require.NoError(t, cl.Put(ctx, "a", "1"))
	c.stop(3)
	for i := range 60 {
		require.NoError(t, cl.Put(ctx, fmt.Sprintf("b%d", i), strings.Repeat("x", 20)))
	}
	files := func(id paxos.NodeID, pattern string) []string {
		found, err := filepath.Glob(filepath.Join(c.dirs[id-1], "data", pattern))
		require.NoError(t, err)
		return found
	}
	for id := paxos.NodeID(1); id <= 2; id++ {
		require.Eventually(t, func() bool { return len(files(id, "snapshots/*.snap")) == 2 && len(files(id, "log/*.wal")) < 20 },
			10*time.Second, 10*time.Millisecond, "replica %d: %v", id, files(id, "log/*.wal"))
	}
	c.start(3)
	require.Eventually(t, func() bool { return len(files(3, "snapshots/*.snap")) > 0 }, 20*time.Second, 10*time.Millisecond)
	c.stop(1) // the others are enough, if 3 knows what 2 knows
	pairs, err := cl.List(ctx, "b")
	require.NoError(t, err)
	require.Len(t, pairs, 60)
	require.NoError(t, cl.Close(ctx))
}

// A cell writes backups to another disk, is lost, and is restored from the newest one.
func TestACellIsLostAndMadeAnewFromItsBackup(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	far := store.Place{FS: vfs.NewOS(t.TempDir()), Dir: "backups", Keep: 100}
	c := newCell(t, 3, func(c *cell) {
		c.place = &far
		c.tune = func(h *driver.Config) {
			h.BackupEvery = time.Second
			h.Core.Sessions.LeaseMin, h.Core.Sessions.LeaseMax = time.Second, time.Second
		}
	})
	cl := c.client(1)
	require.NoError(t, cl.Put(ctx, "a", "kept"))
	var b backup.Backup
	for n, kept := 0, false; !kept; n++ { // the calls take the time until the next backup
		require.NoError(t, cl.Put(ctx, "n", fmt.Sprint(n)))
		cells, err := far.FS.ReadDir(far.Dir)
		if err != nil || len(cells) == 0 {
			continue
		}
		dir := filepath.Join(far.Dir, cells[0])
		names, err := far.FS.ReadDir(dir)
		require.NoError(t, err)
		for _, name := range names {
			if strings.HasSuffix(name, ".snap") {
				b, err = backup.Load(far.FS, filepath.Join(dir, name))
				require.NoError(t, err)
				_, kept = b.Rows.Get(rows.UserKey("a"))
			}
		}
	}
	require.NoError(t, cl.Close(ctx))
	before := c.replicas[1].Cell()
	require.Equal(t, b.Cell, before)
	for i := range c.dirs {
		c.stop(paxos.NodeID(i + 1))
	}

	made, err := b.Restore(backup.Restoration{Members: []paxos.NodeID{1, 2, 3}, Secret: [32]byte{9}, Nonce: api.Nonce{9}, Lease: time.Second})
	require.NoError(t, err)
	for i := range c.dirs {
		c.dirs[i] = t.TempDir()
		require.NoError(t, made.Write(vfs.NewOS(c.dirs[i]), "data", store.Options{Salt: func() uint64 { return 1 }}))
		c.start(paxos.NodeID(i + 1))
	}
	cl = c.client(2)
	value, err := cl.Get(ctx, "a")
	require.NoError(t, err)
	require.Equal(t, "kept", value)
	require.NoError(t, cl.Put(ctx, "a", "more"))
	require.NotEqual(t, before, c.replicas[1].Cell(), "it is another cell")
	for _, r := range c.replicas {
		require.Equal(t, c.replicas[1].Cell(), r.Cell())
	}
	require.NoError(t, cl.Close(ctx))
}

func TestAWrongConfigIsRefusedWithAllFaults(t *testing.T) {
	_, err := replica.Start(replica.Config{})
	require.ErrorContains(t, err, "no members")
	for _, want := range []string{"FlushAfter", "no FS", "no Dir", "no Transport"} {
		require.ErrorContains(t, err, want)
	}
	_, err = replica.Start(replica.Config{Driver: driver.Config{BackupEvery: time.Hour}, Backups: &store.Place{}})
	require.ErrorContains(t, err, "Backups names no place")
}
