package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/schema"
	"github.com/chubbycell/chubby/snapshot"
	"github.com/chubbycell/chubby/wal/vfs"
)

const snapName = "snaps/00000000000000000042.snap"

// writeSnapshot makes a snapshot of 250 bytes in three chunks.
func writeSnapshot(t *testing.T, root string) {
	s, _, err := snapshot.Open(vfs.NewOS(root), "snaps", snapshot.Options{ChunkSize: 100})
	require.NoError(t, err)
	h := snapshot.Handle{Slot: 42, Ballot: snapshot.Ballot{Round: 7, Node: 2}, Members: []snapshot.NodeID{1, 2, 3}, Epoch: 5}
	_, err = s.Write(h, func(w io.Writer) error {
		_, err := io.WriteString(w, strings.Repeat("0123456789", 25))
		return err
	})
	require.NoError(t, err)
	require.NoError(t, s.Close())
}

func TestASnapshotIsDumped(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	writeSnapshot(t, root)
	w := newWorld()
	for _, name := range []string{snapName, "./snaps/../" + snapName, filepath.Join(root, snapName)} {
		require.Equal(t, cli.ExitClean, w.do("snapshot", "dump", name), w.err.String())
		require.Equal(t, `       0 header: slot 42 ballot 7.2 epoch 5 members 1 2 3, chunks of 100 bytes
      60 chunk 1: 100 bytes, crc 5e6a2ad4
     176 chunk 2: 100 bytes, crc 0e4e41ab
     292 chunk 3: 50 bytes, crc b72922bc
     358 end: 3 chunks, 250 bytes of data, 390 in all, sum 653fcd8f3bea3e07
`, w.out.String())
	}
	require.Equal(t, cli.ExitClean, w.do("snapshot", "dump", "-o", "json", snapName), w.err.String())
	require.Equal(t, snapshotSchema, schema.Accept(t, projectAt, w.out.Bytes()))
	require.JSONEq(t, `{
		"schema": "`+snapshotSchema+`", "file": "`+snapName+`", "slot": 42, "ballot": "7.2", "epoch": 5, "members": [1, 2, 3], "chunk_size": 100,
		"chunks": [
			{"number": 1, "offset": 60, "bytes": 100, "crc": "5e6a2ad4"},
			{"number": 2, "offset": 176, "bytes": 100, "crc": "0e4e41ab"},
			{"number": 3, "offset": 292, "bytes": 50, "crc": "b72922bc"}
		],
		"bytes": 250, "size": 390, "sum": "653fcd8f3bea3e07"
	}`, w.out.String())
	require.Equal(t, cli.ExitClean, w.do("snapshot", "dump", "--help"))
	require.Contains(t, w.out.String(), "chunk_size")
}

func TestADamagedSnapshotIsExit2WithItsPlace(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	writeSnapshot(t, root)
	good, err := os.ReadFile(snapName)
	require.NoError(t, err)
	bad := append([]byte{}, good...)
	bad[200] ^= 1 // in chunk 2
	require.NoError(t, os.WriteFile("rotten", bad, 0o644))
	require.NoError(t, os.WriteFile("short", good[:300], 0o644))
	require.NoError(t, os.WriteFile("noise", []byte("this is no snapshot at all"), 0o644))
	old := append([]byte{}, good...)
	old[4] = 9
	require.NoError(t, os.WriteFile("old", old, 0o644))

	w := newWorld()
	for name, want := range map[string]string{
		"rotten":         "rotten: damaged at offset 176: wrong checksum of chunk 2",
		"./short":        "./short: damaged at offset 292: ",
		"noise":          "noise: damaged at offset 0: not a snapshot file",
		"old":            "old: offset 4: unknown format version 9",
		"snaps":          "snaps: a directory; name one of the files in it",
		"nowhere":        "stat nowhere: no such file or directory: name a file such as DIR/snapshots/SLOT.snap, in the directory of a replica\n",
		root + "/rotten": root + "/rotten: damaged at offset 176: ",
	} {
		require.Equal(t, cli.ExitUsage, w.do("snapshot", "dump", name), name)
		require.True(t, strings.HasPrefix(w.err.String(), "chubby: "+want), w.err.String())
	}
	require.Equal(t, cli.ExitUsage, w.do("snapshot", "dump", "rotten"))
	require.Contains(t, w.out.String(), "chunk 1: 100 bytes", "what can be read is printed")
	require.NotContains(t, w.out.String(), "chunk 2")
	require.Equal(t, cli.ExitUsage, w.do("snapshot", "dump", "-o", "json", "rotten"))
	require.Contains(t, w.out.String(), `"number": 1`)
	require.NotContains(t, w.out.String(), `"sum"`)
	require.Equal(t, snapshotSchema, schema.Accept(t, projectAt, w.out.Bytes()))
	require.Equal(t, cli.ExitUsage, w.do("snapshot", "dump", "-o", "xml", "rotten"))
	require.Equal(t, cli.ExitUsage, w.do("snapshot", "dump"))
}
