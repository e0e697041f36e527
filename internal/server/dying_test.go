package server_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/dyingdisk"
	"github.com/chubbycell/chubby/internal/server"
	"github.com/chubbycell/chubby/wal/vfs"
)

// A replica that a failing disk has ended is not live, and its clients are told to go, also while another part of that
// disk hangs: else its supervisor and its clients would wait for it.
func TestAReplicaThatEndedIsNotLiveWhileItsDiskHangs(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	peers, clients := listen(t), listen(t)
	cfg := server.Config{
		Cell: "test", ID: 1, Members: map[uint32]string{1: peers.Addr().String()}, Dir: filepath.Join(t.TempDir(), "1"),
		ListenClients: clients.Addr().String(), ListenHTTP: "127.0.0.1:0",
	}
	disk := dyingdisk.New(nil)
	s, err := server.Start(cfg, server.Options{Bootstrap: true, Peers: peers, Clients: clients, Disk: func(f vfs.FS) vfs.FS {
		disk.FS = f
		return disk
	}})
	require.NoError(t, err)
	t.Cleanup(func() { disk.Release(); require.ErrorIs(t, s.Stop(context.Background()), vfs.ErrIO) })
	cl, err := client.Dial(ctx, "1="+cfg.ListenClients)
	require.NoError(t, err)
	defer func() {
		over, stop := context.WithCancel(ctx)
		stop()
		require.Error(t, cl.Close(over))
	}()
	large := strings.Repeat("x", 250_000)
	for i := 0; !disk.IsHanging() || err == nil; i++ { // an earlier error is that of a slow machine
		require.NoError(t, ctx.Err())
		short, stop := context.WithTimeout(ctx, 2*time.Second)
		err = cl.Put(short, fmt.Sprint(i%4), large)
		stop()
	}
	require.Eventually(t, func() bool {
		code, text := page(t, s, "/livez")
		return code == http.StatusServiceUnavailable && strings.HasPrefix(text, "stopped\n")
	}, 20*time.Second, 10*time.Millisecond)
	require.Eventually(t, func() bool { return cl.Unreached() != nil }, 20*time.Second, 10*time.Millisecond)
	ended := make(chan error, 1)
	go func() { ended <- s.Wait() }()
	require.Empty(t, ended, "the files are in use")
	disk.Release()
	require.ErrorIs(t, <-ended, vfs.ErrIO)
}
