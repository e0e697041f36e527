package replica_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/dyingdisk"
	"github.com/chubbycell/chubby/internal/logtest"
	"github.com/chubbycell/chubby/replica"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/wal/vfs"
)

// A snapshot that has rotted is told of with its file when a replica starts without it.
func TestASnapshotThatIsOfNoUseIsToldOf(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := newCell(t, 1, func(c *cell) { c.tune = func(h *driver.Config) { h.SnapshotEvery = 4 } })
	cl := c.client(1)
	snapshots := func() []string {
		files, err := filepath.Glob(filepath.Join(c.dirs[0], "data/snapshots/*.snap"))
		require.NoError(t, err)
		return files
	}
	// A snapshot is written beside the commands, and a stop leaves one that is begun: two must be there before it.
	for i := 0; len(snapshots()) < 2; i++ {
		require.NoError(t, cl.Put(ctx, fmt.Sprint(i%20), "x"))
	}
	require.NoError(t, cl.Close(ctx))
	c.stop(1)
	files := snapshots()
	require.GreaterOrEqual(t, len(files), 2)
	newest := files[len(files)-1]
	text, err := os.ReadFile(newest)
	require.NoError(t, err)
	text[len(text)/2]++
	require.NoError(t, os.WriteFile(newest, text, 0o600))
	name := filepath.Base(newest)
	require.False(t, c.log.Has("level=WARN"), "%v", &c.log)
	c.start(1)
	require.Contains(t, c.log.String(), `level=WARN msg="a snapshot is of no use" replica=1 file=data/snapshots/`+name+` err="snapshot: data/snapshots/`+name+": damaged at offset")
}

func TestAFailingDiskStopsTheReplicaAndSaysWhy(t *testing.T) {
	t.Parallel()
	c := newCell(t, 1)
	c.stop(1)
	mem := vfs.NewMem()
	var mu sync.Mutex
	bad := false
	mem.SetFault(func(call vfs.Call) vfs.Fault {
		mu.Lock()
		defer mu.Unlock()
		if bad && call.Op == vfs.OpSyncData {
			return vfs.Fault{Err: vfs.ErrIO}
		}
		return vfs.Fault{}
	})
	r, err := replica.Start(c.config(1, mem))
	require.NoError(t, err)
	c.mu.Lock()
	c.replicas[1] = r
	c.mu.Unlock()
	cl := c.client(1)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	require.NoError(t, cl.Put(ctx, "a", "1"))

	mu.Lock()
	bad = true
	mu.Unlock()
	short, cancelShort := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancelShort()
	require.ErrorIs(t, cl.Put(short, "a", "2"), client.ErrOutcomeUnknown)
	err = r.Wait()
	require.ErrorIs(t, err, vfs.ErrIO)
	require.ErrorContains(t, err, "replica 1 stops")
	c.mu.Lock()
	delete(c.replicas, 1)
	c.mu.Unlock()
	require.True(t, errors.Is(r.Stop(), vfs.ErrIO), "Stop tells the same")
	require.Error(t, cl.Close(short))
}

// hungDisk does not finish a sync of the log before release is closed, once hangs is set.
type hungDisk struct {
	vfs.FS
	hangs   atomic.Bool
	release chan struct{}
}

func (d *hungDisk) Open(name string) (vfs.File, error)   { return d.wrap(d.FS.Open(name)) }
func (d *hungDisk) Create(name string) (vfs.File, error) { return d.wrap(d.FS.Create(name)) }

func (d *hungDisk) wrap(f vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	return hungFile{f, d}, nil
}

type hungFile struct {
	vfs.File
	disk *hungDisk
}

func (f hungFile) SyncData() error {
	if f.disk.hangs.Load() {
		<-f.disk.release
	}
	return f.File.SyncData()
}

// A disk that hangs is told of, while the replica goes on and answers; and when the disk goes on, no more.
func TestADiskThatHangsIsToldOf(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := newCell(t, 1)
	c.stop(1)
	disk := &hungDisk{FS: vfs.NewOS(t.TempDir()), release: make(chan struct{})}
	release := sync.OnceFunc(func() { close(disk.release) })
	t.Cleanup(release)
	r, err := replica.Start(c.config(1, disk))
	require.NoError(t, err)
	c.mu.Lock()
	c.replicas[1] = r
	c.mu.Unlock()
	cl := c.client(1)
	require.NoError(t, cl.Put(ctx, "a", "1"))
	disk.hangs.Store(true)
	put := make(chan error, 1)
	go func() { put <- cl.Put(ctx, "a", "2") }()
	job := func() time.Duration {
		s, err := r.Status(ctx)
		require.NoError(t, err)
		return s.LogJob
	}
	var ages []time.Duration
	for len(ages) < 3 { // each of another instant, and of one job
		if age := job(); age > 0 && (len(ages) == 0 || age > ages[len(ages)-1]) {
			ages = append(ages, age)
		}
	}
	require.Empty(t, put)
	release()
	require.NoError(t, <-put)
	require.Eventually(t, func() bool { return job() == 0 }, 20*time.Second, time.Millisecond)
	require.NoError(t, cl.Close(ctx))
}

// hungPlace does not make a directory before release is closed.
type hungPlace struct {
	vfs.FS
	release chan struct{}
}

func (p hungPlace) MkdirAll(name string) error {
	<-p.release
	return p.FS.MkdirAll(name)
}

// A backup that does not end is told of, with its age, while the replica goes on and answers.
func TestABackupThatHangsIsToldOf(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	far := hungPlace{vfs.NewMem(), make(chan struct{})}
	release := sync.OnceFunc(func() { close(far.release) })
	t.Cleanup(release)
	c := newCell(t, 1, func(c *cell) {
		c.place = &store.Place{FS: far, Dir: "backups", Keep: 2}
		c.tune = func(h *driver.Config) { h.BackupEvery = time.Second }
	})
	cl := c.client(1)
	job := func() time.Duration {
		s, err := c.replicas[1].Status(ctx)
		require.NoError(t, err)
		return s.BackupJob
	}
	for n, first := 0, time.Duration(0); ; n++ { // the calls take the time until the backup
		require.NoError(t, cl.Put(ctx, "n", fmt.Sprint(n)))
		if age := job(); first == 0 {
			first = age
		} else if age > first {
			break
		}
	}
	release()
	require.Eventually(t, func() bool { return c.log.Has("backup written") && job() < time.Second }, 20*time.Second, time.Millisecond)
	require.NoError(t, cl.Close(ctx))
}

// Why a snapshot failed is told to Listeners and operators and stands in the program's log, until a later
// snapshot succeeds.
func TestAFailedSnapshotSaysWhy(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := newCell(t, 1, func(c *cell) {
		c.tune = func(cfg *driver.Config) { cfg.SnapshotEvery, cfg.RetryAfter = 10, time.Millisecond }
	})
	c.stop(1)
	disk := &fullDisk{FS: vfs.NewOS(t.TempDir())}
	disk.full.Store(true)
	var log logtest.Log
	cfg := c.config(1, disk)
	cfg.Logger = log.Logger()
	r, err := replica.Start(cfg)
	require.NoError(t, err)
	c.mu.Lock()
	c.replicas[1] = r
	c.mu.Unlock()
	l, err := r.Listen(ctx, 1000)
	require.NoError(t, err)
	defer l.Close()
	cl := c.client(1)
	for range 20 {
		require.NoError(t, cl.Put(ctx, "a", "1"))
	}
	all := until(ctx, t, l, replica.EventSnapshotFailed)
	require.Contains(t, all[len(all)-1].Reason, "no space left on device")
	o, err := r.Overview(ctx, 1)
	require.NoError(t, err)
	require.Positive(t, o.SnapshotsFailed)
	require.Contains(t, o.SnapshotError, "no space left on device")
	require.Contains(t, log.String(), `level=WARN msg="snapshot failed" replica=1 slot=`)
	require.Contains(t, log.String(), "no space left on device")

	disk.full.Store(false)
	require.NoError(t, cl.Put(ctx, "a", "2"))
	until(ctx, t, l, replica.EventSnapshot)
	o, err = r.Overview(ctx, 1)
	require.NoError(t, err)
	require.Empty(t, o.SnapshotError)
	require.Contains(t, log.String(), "snapshots are written again")
	require.NoError(t, cl.Close(ctx))
}

// fullDisk has no space for new snapshots while it is full. It is safe for concurrent use, like that of
// vfs.NewOS.
type fullDisk struct {
	vfs.FS
	full atomic.Bool
}

func (d *fullDisk) Create(name string) (vfs.File, error) {
	if d.full.Load() && strings.Contains(name, "snapshots/") {
		return nil, vfs.ErrNoSpace
	}
	return d.FS.Create(name)
}

// A replica that has stopped says so and why, also while a part of its disk hangs. Questions about it get ErrStopped.
func TestAReplicaThatHasStoppedSaysSoWhileItsDiskHangs(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := newCell(t, 1, func(c *cell) { c.tune = func(h *driver.Config) { h.SnapshotEvery = 4 } })
	c.stop(1)
	disk := dyingdisk.New(vfs.NewOS(t.TempDir()))
	r, err := replica.Start(c.config(1, disk))
	require.NoError(t, err)
	t.Cleanup(func() { disk.Release(); require.ErrorIs(t, r.Stop(), vfs.ErrIO) })
	c.mu.Lock()
	c.replicas[1] = r
	c.mu.Unlock()
	l, err := r.Listen(ctx, 1000)
	require.NoError(t, err)
	cl := c.client(1)
	for i := 0; !disk.IsHanging() || err == nil; i++ { // an earlier error is that of a slow machine
		require.NoError(t, ctx.Err())
		short, stop := context.WithTimeout(ctx, time.Second)
		err = cl.Put(short, fmt.Sprint(i%20), "x")
		stop()
	}
	require.Eventually(t, func() bool { return c.log.Has(`level=ERROR msg="replica stopped"`) }, 20*time.Second, time.Millisecond)
	require.Contains(t, c.log.String(), "input/output error")
	within, stop := context.WithTimeout(ctx, 20*time.Second)
	defer stop()
	require.Eventually(t, func() bool {
		_, err = r.Status(within)
		return err != nil
	}, 20*time.Second, time.Millisecond)
	require.ErrorIs(t, err, replica.ErrStopped)
	all := until(within, t, l, replica.EventStopped)
	require.Contains(t, all[len(all)-1].Reason, "input/output error")
	ended := make(chan error, 1)
	go func() { ended <- r.Wait() }()
	require.Empty(t, ended, "the files are in use")
	disk.Release()
	require.ErrorIs(t, <-ended, vfs.ErrIO)
	c.mu.Lock()
	delete(c.replicas, 1)
	c.mu.Unlock()
	over, stopNow := context.WithCancel(ctx)
	stopNow()
	require.Error(t, cl.Close(over))
}
