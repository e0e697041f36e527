package server_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/logtest"
	"github.com/chubbycell/chubby/internal/server"
	"github.com/chubbycell/chubby/wal/vfs"
)

// A second start on a directory says that a replica runs on it, and complains of nothing else.
func TestASecondReplicaOnADirectoryIsRefused(t *testing.T) {
	c := newCell(t, 1)
	log := new(logtest.Log)
	second := c.cfgs[0]
	_, err := server.Start(second, server.Options{Peers: listen(t), Clients: listen(t), Logger: log.Logger()})
	require.ErrorIs(t, err, vfs.ErrLocked)
	require.ErrorContains(t, err, "dir "+second.Dir+": a replica runs on it already")
	require.False(t, log.Has("level=ERROR"), "%s", log)
}

// A lease_grant that is not that of the cell is a mistake in the configuration: the error names the key.
func TestAnotherLeaseGrantIsAMistakeInTheConfiguration(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cfg := server.Config{
		Cell: "test", ID: 1, Members: map[uint32]string{1: "127.0.0.1:0"}, Dir: filepath.Join(t.TempDir(), "1"), ListenClients: "127.0.0.1:0",
	}
	s, err := server.Start(cfg, server.Options{Bootstrap: true})
	require.NoError(t, err)
	cl, err := client.Dial(ctx, "1="+s.ClientAddr().String())
	require.NoError(t, err)
	require.NoError(t, cl.Put(ctx, "a", "1"))
	require.NoError(t, cl.Close(ctx))
	require.NoError(t, s.Stop(ctx))
	cfg.LeaseGrant = 3 * time.Second
	s, err = server.Start(cfg, server.Options{})
	require.NoError(t, err)
	err = s.Wait()
	require.ErrorIs(t, err, server.ErrConfig)
	require.ErrorContains(t, err, "lease_grant is 3s here, and 800ms in the cell since it was founded")
	require.Error(t, s.Stop(ctx))
}

// A replica that is founded again after its disk was lost has forgotten what it promised: the others refuse
// it, at both ends, in words, and go on without it. Back with its own disk it is one of them.
func TestAReplicaThatIsFoundedAgainIsRefusedByTheOthers(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := newCell(t, 3)
	for _, s := range c.servers {
		require.NoError(t, s.Ready(ctx))
	}
	cl, err := client.Dial(ctx, c.target())
	require.NoError(t, err)
	require.NoError(t, cl.Put(ctx, "a", "1"))

	c.stop(2)
	dir := c.cfgs[1].Dir
	require.NoError(t, os.Rename(dir, dir+".lost"))
	log := new(logtest.Log)
	c.start(2, server.Options{Bootstrap: true, Logger: log.Logger()})
	says := func(words string) {
		require.Eventually(t, func() bool { return log.Has(words) }, 10*time.Second, time.Millisecond, "%s", log)
	}
	says("refused by replica 1 of cell")
	says("refused by replica 3 of cell")
	says("replica 2 has another disk")
	require.NoError(t, cl.Put(ctx, "a", "2"))
	short, cancelShort := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancelShort()
	require.Error(t, c.servers[2].Ready(short), "it hears of no master")

	c.stop(2)
	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, os.Rename(dir+".lost", dir))
	c.start(2, server.Options{})
	require.NoError(t, c.servers[2].Ready(ctx))
	require.NoError(t, cl.Close(ctx))
}

// A log that cannot be looked at, here because its name leads nowhere, is not called lost: an operator who is told
// so would give up a replica that is good.
func TestALogThatCannotBeLookedAtIsNotLost(t *testing.T) {
	cfg := alone(t)
	require.NoError(t, server.Found(cfg))
	log := filepath.Join(cfg.Dir, "log")
	require.NoError(t, os.Rename(log, log+".away"))
	require.NoError(t, os.Symlink("log", log))
	for _, bootstrap := range []bool{false, true} {
		_, err := server.Start(cfg, server.Options{Bootstrap: bootstrap})
		require.ErrorIs(t, err, syscall.ELOOP)
		require.NotErrorIs(t, err, server.ErrLost)
		require.ErrorContains(t, err, filepath.Join(log, "manifest.a"))
	}
}

// deniedFS has files of another user.
type deniedFS struct{ vfs.FS }

func (d deniedFS) Open(name string) (vfs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
}

// A file of another user among those of the store is refused with the whole name of the directory, and with what helps.
func TestAFileOfAnotherUserIsRefusedWithWhatHelps(t *testing.T) {
	cfg := alone(t)
	_, err := server.Start(cfg, server.Options{Bootstrap: true, Disk: func(below vfs.FS) vfs.FS { return deniedFS{below} }})
	require.ErrorContains(t, err, "promise.a")
	require.ErrorContains(t, err, "dir "+cfg.Dir+" and all in it must belong to the user that runs the replica")
}

// A port that is taken ends a start before the replica has begun to run: where a supervisor tries again and again,
// each life that begins writes to the log.
func TestATakenPortIsFoundBeforeTheReplicaRuns(t *testing.T) {
	taken := listen(t)
	defer taken.Close()
	cfg := alone(t)
	require.NoError(t, server.Found(cfg))
	cfg.ListenHTTP = taken.Addr().String()
	disk := func(fsys vfs.FS) vfs.FS { t.Error("the replica began to run"); return fsys }
	_, err := server.Start(cfg, server.Options{Disk: disk})
	require.ErrorIs(t, err, syscall.EADDRINUSE)
	require.ErrorContains(t, err, "listen_http")
	cfg.ListenHTTP = "127.0.0.1:0"
	s, err := server.Start(cfg, server.Options{})
	require.NoError(t, err)
	require.NoError(t, s.Stop(t.Context()))
}
