package server_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/logtest"
	"github.com/chubbycell/chubby/internal/server"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/disk/backup"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/wal/vfs"
)

// restored writes the directory of a replica of a cell of three that is restored from a backup of another cell.
func restored(t *testing.T, ctx context.Context, dir string) {
	t.Helper()
	cfg := alone(t)
	cfg.BackupDir, cfg.BackupEvery = t.TempDir(), time.Second
	s, err := server.Start(cfg, server.Options{Bootstrap: true})
	require.NoError(t, err)
	cl, err := client.Dial(ctx, "1="+s.ClientAddr().String())
	require.NoError(t, err)
	_, err = cl.Open(ctx, "/ls/local/old", client.OpenOptions{Rights: client.Write, Create: client.CreateMay})
	require.NoError(t, err)
	b := newest(t, ctx, cfg.BackupDir, cl)
	require.NoError(t, cl.Close(ctx))
	require.NoError(t, s.Stop(ctx))
	made, err := b.Restore(backup.Restoration{Members: []paxos.NodeID{1, 2, 3}, Secret: [32]byte{9}, Nonce: api.Nonce{9}, Lease: time.Second})
	require.NoError(t, err)
	require.NoError(t, made.Write(vfs.NewOS(filepath.Dir(dir)), filepath.Base(dir), store.Options{Salt: replica.Entropy}))
}

// If a backup was restored at one member only, and the others were founded anew without it, then the others keep what they
// have. The restored replica and they refuse one another, and say why.
func TestAReplicaThatWasRestoredAloneIsRefusedByTheOthers(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := newCell(t, 3)
	for id := uint32(1); id <= 3; id++ {
		c.stop(id)
		require.NoError(t, os.RemoveAll(c.cfgs[id-1].Dir))
	}
	other := new(logtest.Log)
	c.start(2, server.Options{Bootstrap: true, Logger: other.Logger()})
	c.start(3, server.Options{Bootstrap: true})
	cl, err := client.Dial(ctx, c.target())
	require.NoError(t, err)
	require.NoError(t, cl.Put(ctx, "a", "1"))

	restored(t, ctx, c.cfgs[0].Dir)
	own := new(logtest.Log)
	c.start(1, server.Options{Bootstrap: true, Logger: own.Logger()})
	for _, log := range []*logtest.Log{own, other} {
		require.Eventually(t, func() bool {
			return log.Has("founded twice, or restored at some of its members only")
		}, 10*time.Second, time.Millisecond, "%s", log)
	}
	value, err := cl.Get(ctx, "a")
	require.NoError(t, err)
	require.Equal(t, "1", value)
	require.NoError(t, cl.Put(ctx, "a", "2"))
	short, cancelShort := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancelShort()
	require.Error(t, c.servers[1].Ready(short), "it hears of no master")
	require.NoError(t, cl.Close(ctx))
}
