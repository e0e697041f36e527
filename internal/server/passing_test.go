package server_test

import (
	"context"
	"net"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/logtest"
	"github.com/chubbycell/chubby/internal/server"
)

// alone is the configuration of a cell of one replica.
func alone(t *testing.T) server.Config {
	return server.Config{
		Cell: "test", ID: 1, Members: map[uint32]string{1: "127.0.0.1:0"}, Dir: filepath.Join(t.TempDir(), "1"), ListenClients: "127.0.0.1:0",
	}
}

// A start that fails because of the machine is worth another, and one that fails because of what an operator
// has written is not.
func TestAStartThatMayPassIsToldFromOneThatStays(t *testing.T) {
	taken := listen(t)
	defer taken.Close()
	for name, c := range map[string]struct {
		change  func(c *server.Config)
		o       server.Options
		mayPass bool
	}{
		"a port that is taken":        {func(c *server.Config) { c.ListenClients = taken.Addr().String() }, server.Options{Bootstrap: true}, true},
		"a member that is not one":    {func(c *server.Config) { c.ID = 2 }, server.Options{Bootstrap: true}, false},
		"a lost disk":                 {func(*server.Config) {}, server.Options{}, false},
		"a token file that is absent": {func(c *server.Config) { c.TokenFile = filepath.Join(c.Dir, "none") }, server.Options{Bootstrap: true}, false},
	} {
		cfg, log := alone(t), new(logtest.Log)
		c.change(&cfg)
		c.o.Logger = log.Logger()
		_, err := server.Start(cfg, c.o)
		require.Error(t, err, name)
		require.Equal(t, c.mayPass, server.MayPass(err), "%s: %v", name, err)
		require.False(t, log.Has("msg=stopped"), "%s: it never ran", name)
	}
	require.True(t, server.MayPass(&net.OpError{Op: "listen", Err: syscall.EADDRNOTAVAIL}))
	require.True(t, server.MayPass(&net.DNSError{Name: "replica-1.example"}))
	require.True(t, server.MayPass(syscall.ENOSPC))
	require.False(t, server.MayPass(syscall.EACCES))
	require.False(t, server.MayPass(nil))
}

// A replica whose place of backups is not mounted starts, and its log says so loudly.
func TestAReplicaStartsWithoutThePlaceOfBackups(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cfg, log := alone(t), new(logtest.Log)
	cfg.BackupDir = filepath.Join(t.TempDir(), "not-mounted")
	require.ErrorContains(t, cfg.CheckBackupDir(), "not-mounted is no directory: mount its file system, or make it")
	s, err := server.Start(cfg, server.Options{Bootstrap: true, Logger: log.Logger()})
	require.NoError(t, err)
	require.NoError(t, s.Ready(ctx))
	require.Eventually(t, func() bool { return log.Has(`level=ERROR msg="no backups until that is mended"`) }, 20*time.Second, time.Millisecond)
	require.True(t, log.Has("msg=starts replica=1 cell=test dir="+cfg.Dir), "%s", log)
	require.NoError(t, s.Stop(ctx))
	require.True(t, log.Has("msg=stops") && log.Has("msg=stopped"), "%s", log)
	require.NoDirExists(t, cfg.BackupDir)
}
