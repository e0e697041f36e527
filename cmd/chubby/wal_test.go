package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chubbycell/chubby/wal"
	"github.com/chubbycell/chubby/wal/vfs"
	"github.com/stretchr/testify/require"
)

// writeLog makes a log of three entries, all known to be durable.
func writeLog(t *testing.T, root string) {
	log, _, err := wal.Open(vfs.NewOS(root), "log", wal.Options{SegmentSize: 4096})
	require.NoError(t, err)
	for i := range 3 {
		require.NoError(t, log.Append(wal.Entry{LSN: wal.LSN(i + 1), Kind: 7, Tag: []byte("tag"), Data: "the data of an entry"}))
		require.NoError(t, log.Sync())
	}
	require.NoError(t, log.Idle())
	require.NoError(t, log.Close())
}

func TestALogIsDumped(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	writeLog(t, root)
	segments, err := filepath.Glob("log/*.wal")
	require.NoError(t, err)
	require.Len(t, segments, 1)

	w := newWorld()
	for _, name := range []string{"log", segments[0], filepath.Join(root, segments[0])} {
		require.Equal(t, exitClean, w.do("wal", "dump", name), w.err.String())
		require.Contains(t, w.out.String(), "#3 kind 7")
	}
	require.Equal(t, exitClean, w.do("wal", "dump", "log/manifest.a"), w.err.String())
	require.Contains(t, w.out.String(), "register manifest.a")
}

func TestDamageIsToldWithItsPlace(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	writeLog(t, root)
	segments, err := filepath.Glob("log/*.wal")
	require.NoError(t, err)
	text, err := os.ReadFile(segments[0])
	require.NoError(t, err)
	text[70] ^= 1 // data of the first entry
	require.NoError(t, os.WriteFile(segments[0], text, 0o644))

	w := newWorld()
	require.Equal(t, exitBroken, w.do("wal", "dump", segments[0]))
	require.Contains(t, w.err.String(), filepath.Base(segments[0]))
	require.Contains(t, w.out.String(), "#3 kind 7", "what can be read is printed")

	require.NoError(t, os.WriteFile("noise", []byte("this is no log at all"), 0o644))
	require.Equal(t, exitBroken, w.do("wal", "dump", "noise"))
	require.Contains(t, w.err.String(), "noise")
	require.Equal(t, exitUsage, w.do("wal", "dump", t.TempDir()))
	require.Contains(t, w.err.String(), "no log here")
}
