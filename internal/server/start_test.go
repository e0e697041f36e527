package server_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/server"
	"github.com/chubbycell/chubby/wal/vfs"
)

// A second start on a directory says that a replica runs on it, and complains of nothing else.
func TestASecondReplicaOnADirectoryIsRefused(t *testing.T) {
	c := newCell(t, 1)
	log := new(journal)
	second := c.cfgs[0]
	_, err := server.Start(second, server.Options{Peers: listen(t), Clients: listen(t), Logger: log.logger()})
	require.ErrorIs(t, err, vfs.ErrLocked)
	require.ErrorContains(t, err, "dir "+second.Dir+": a replica runs on it already")
	require.False(t, log.has("level=ERROR"), "%s", &log.text)
}

// A lease_grant that is not that of the cell is a mistake in the configuration: the error names the key.
func TestAnotherLeaseGrantIsAMistakeInTheConfiguration(t *testing.T) {
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
