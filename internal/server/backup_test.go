package server_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/recipe"
	"github.com/chubbycell/chubby/internal/server"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/disk/backup"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/wal/vfs"
)

// acquire makes the file f unless it is there, takes its lock, and returns the sequencer.
func acquire(t *testing.T, ctx context.Context, cl *client.Client) string {
	t.Helper()
	f, err := cl.Open(ctx, "/ls/local/f", client.OpenOptions{Rights: client.Write, Create: client.CreateMay})
	require.NoError(t, err)
	lock, err := f.Acquire(ctx, client.Exclusive)
	require.NoError(t, err)
	return lock.Sequencer()
}

// newest waits for a backup that holds a file.
func newest(t *testing.T, ctx context.Context, dir string, cl *client.Client) backup.Backup {
	t.Helper()
	var b backup.Backup
	for n, found := 0, false; !found; n++ { // the calls are what passes the time
		require.NoError(t, cl.Put(ctx, "n", fmt.Sprint(n)))
		files, err := filepath.Glob(filepath.Join(dir, "*", "*.snap"))
		require.NoError(t, err)
		for _, file := range files {
			rel, err := filepath.Rel(dir, file)
			require.NoError(t, err)
			b, err = backup.Load(vfs.NewOS(dir), filepath.ToSlash(rel))
			require.NoError(t, err)
			found = found || b.Summary().Nodes > 3 // root, the ACL directory and its file
		}
	}
	return b
}

// A cell writes backups, is lost, and is founded anew from one: its directories have logs and
// no member files, and only --bootstrap starts them, with the members that the backup was restored for. A file that was made again after the backup is the earlier one
// in the new cell, and a holder of its lock is a later one all the same.
func TestACellIsFoundedAnewFromItsBackup(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	far := t.TempDir()
	cfg := server.Config{
		Cell: "test", ID: 1, Members: map[uint32]string{1: "127.0.0.1:0"}, Dir: filepath.Join(t.TempDir(), "data"),
		ListenClients: "127.0.0.1:0", ListenHTTP: "127.0.0.1:0", LeaseMin: time.Second, LeaseMax: time.Second, BackupDir: far, BackupEvery: time.Second,
	}
	s, err := server.Start(cfg, server.Options{Bootstrap: true})
	require.NoError(t, err)
	cl, err := client.Dial(ctx, "1="+s.ClientAddr().String())
	require.NoError(t, err)
	_, err = cl.Open(ctx, "/ls/local/f", client.OpenOptions{Rights: client.Write, Create: client.CreateMay, Contents: "kept"})
	require.NoError(t, err)
	b := newest(t, ctx, far, cl)
	require.Eventually(t, func() bool {
		_, text := page(t, s, "/metrics")
		return regexp.MustCompile(`(?m)^chubby_backups_total [1-9]`).MatchString(text) &&
			regexp.MustCompile(`(?m)^chubby_backups_failed_total 0$`).MatchString(text) &&
			regexp.MustCompile(`(?m)^chubby_backup_age_seconds [0-9]`).MatchString(text)
	}, 20*time.Second, 10*time.Millisecond)
	f, err := cl.Open(ctx, "/ls/local/f", client.OpenOptions{Rights: client.Write})
	require.NoError(t, err)
	require.NoError(t, f.Delete(ctx))
	before, fence := acquire(t, ctx, cl), recipe.NewFence("/f")
	require.NoError(t, fence.Write(before))
	require.NoError(t, cl.Close(ctx))
	require.NoError(t, s.Stop(ctx))

	made, err := b.Restore(backup.Restoration{Members: []paxos.NodeID{1}, Secret: [32]byte{9}, Nonce: api.Nonce{9}, Lease: time.Second})
	require.NoError(t, err)
	cfg.Dir = filepath.Join(t.TempDir(), "1")
	require.NoError(t, made.Write(vfs.NewOS(filepath.Dir(cfg.Dir)), "1", store.Options{Salt: replica.Entropy}))
	_, err = server.Start(cfg, server.Options{})
	require.ErrorContains(t, err, "start it once with --bootstrap")
	more := cfg
	more.Members = map[uint32]string{1: "127.0.0.1:0", 2: "127.0.0.1:1"}
	_, err = server.Start(more, server.Options{Bootstrap: true})
	require.ErrorContains(t, err, "for the members [1], and the configuration has [1 2]: give chubby backup restore")
	require.False(t, server.MayPass(err))
	require.NoFileExists(t, filepath.Join(cfg.Dir, "member.json"))
	s, err = server.Start(cfg, server.Options{Bootstrap: true})
	require.NoError(t, err)
	cl, err = client.Dial(ctx, "1="+s.ClientAddr().String())
	require.NoError(t, err)
	require.NoError(t, fence.Write(acquire(t, ctx, cl)))
	require.ErrorIs(t, fence.Write(before), recipe.ErrFenced)
	f, err = cl.Open(ctx, "/ls/local/f", client.OpenOptions{})
	require.NoError(t, err)
	text, _, err := f.Contents(ctx)
	require.NoError(t, err)
	require.Equal(t, "kept", text)
	require.NoError(t, cl.Close(ctx))
	require.NoError(t, s.Stop(ctx))
	_, err = os.Stat(filepath.Join(cfg.Dir, "member.json"))
	require.NoError(t, err)
}

// An operator has a backup written now: it has what was written before, and is there when the call returns.
func TestAnOperatorHasABackupWritten(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cfg, far, ann, bob := alone(t), t.TempDir(), strings.Repeat("a", 24), strings.Repeat("b", 24)
	cfg.TokenFile, cfg.Operators, cfg.BackupDir = file(t, "tokens", "ann "+ann+"\nbob "+bob+"\n"), "ann", filepath.Join(far, "prod")
	require.NoError(t, os.Mkdir(cfg.BackupDir, 0o700))
	here, err := os.Getwd()
	require.NoError(t, err)
	short := cfg
	short.BackupDir, err = filepath.Rel(here, cfg.BackupDir)
	require.NoError(t, err)
	s, err := server.Start(short, server.Options{Bootstrap: true})
	require.NoError(t, err)
	at := s.ClientAddr().String()
	target := file(t, "cell.json", `{"cell": "test", "replicas": {"1": "`+at+`"}, "token_file": "token"}`)
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(target), "token"), []byte(ann), 0o600))
	cl, err := client.Dial(ctx, target)
	require.NoError(t, err)
	for n := range uint64(2) {
		_, err := cl.Open(ctx, fmt.Sprintf("/ls/local/f%d", n), client.OpenOptions{Rights: client.Write, Create: client.CreateMay, Contents: "kept"})
		require.NoError(t, err)
		made, err := operatorOf(t, at, ann, "").Backup(ctx, 1)
		require.NoError(t, err)
		require.Equal(t, cfg.BackupDir, filepath.Dir(filepath.Dir(made.GetFile())), "a full name")
		rel, err := filepath.Rel(cfg.BackupDir, made.GetFile())
		require.NoError(t, err)
		b, err := backup.Load(vfs.NewOS(cfg.BackupDir), filepath.ToSlash(rel))
		require.NoError(t, err)
		require.Equal(t, 3+n+1, uint64(b.Summary().Nodes), "root, the ACL directory and its file, and those made here")
		require.EqualValues(t, b.ID.Handle.Slot, made.GetSlot())
	}
	_, err = operatorOf(t, at, bob, "").Backup(ctx, 1)
	require.Equal(t, codes.PermissionDenied, status.Code(err))

	require.NoError(t, os.Rename(cfg.BackupDir, far+"/unmounted"))
	_, err = operatorOf(t, at, ann, "").Backup(ctx, 1)
	require.Equal(t, codes.Aborted, status.Code(err))
	require.ErrorContains(t, err, "prod is no directory: mount its file system, or make it")
	require.NoError(t, cl.Close(ctx))
	require.NoError(t, s.Stop(ctx))

	cfg.BackupDir = ""
	s, err = server.Start(cfg, server.Options{})
	require.NoError(t, err)
	require.NoError(t, s.Ready(ctx))
	_, err = operatorOf(t, s.ClientAddr().String(), ann, "").Backup(ctx, 1)
	require.Equal(t, codes.FailedPrecondition, status.Code(err))
	require.NoError(t, s.Stop(ctx))
}

func TestBackupKeysAreChecked(t *testing.T) {
	cfg, err := server.Load(file(t, "good.yaml", good))
	require.NoError(t, err)
	cfg.BackupEvery = time.Hour
	require.ErrorContains(t, cfg.Validate(), "give backup_dir, too")
	cfg.BackupDir, cfg.BackupEvery, cfg.BackupKeep = "x", time.Millisecond, 1
	err = cfg.Validate()
	require.ErrorContains(t, err, "backup_keep 1: at least 2")
	require.True(t, strings.Contains(err.Error(), "backup_every is 1ms"), err)
}
