package server

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/transport/peer"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/wal/vfs"
)

func TestDisksAreKnownAgainAfterARestart(t *testing.T) {
	c := Config{Dir: t.TempDir()}
	d, err := c.openDisks()
	require.NoError(t, err)
	require.NotZero(t, d.own)
	require.NoError(t, d.meet(2, peer.Disk{1}))
	require.NoError(t, d.meet(2, peer.Disk{1}))
	require.NoError(t, d.meet(3, peer.Disk{3}))
	require.ErrorContains(t, d.meet(2, peer.Disk{3}), "replica 2 has another disk (03000000) than before (01000000)")

	again, err := c.openDisks()
	require.NoError(t, err)
	require.Equal(t, d.own, again.own)
	require.Equal(t, map[paxos.NodeID]peer.Disk{2: {1}, 3: {3}}, again.known)
	require.Error(t, again.meet(2, peer.Disk{3}))

	other, err := (&Config{Dir: t.TempDir()}).openDisks()
	require.NoError(t, err)
	require.NotEqual(t, d.own, other.own)
}

// Of two processes that begin on one directory, one alone gives it a disk: the other replicas note that one.
func TestADiskIsDrawnByOneProcessAlone(t *testing.T) {
	c := Config{Dir: t.TempDir()}
	fsys, dir, err := c.place()
	require.NoError(t, err)
	lock, err := fsys.Lock(dir + "/LOCK") // of the other process
	require.NoError(t, err)
	_, err = c.openDisks()
	require.ErrorIs(t, err, vfs.ErrLocked)
	require.NoFileExists(t, filepath.Join(c.Dir, disksFile))
	require.NoError(t, lock.Close())

	d, err := c.openDisks()
	require.NoError(t, err)
	lock, err = fsys.Lock(dir + "/LOCK") // the replica runs
	require.NoError(t, err)
	defer lock.Close()
	again, err := c.openDisks()
	require.NoError(t, err, "the directory has a disk")
	require.Equal(t, d.own, again.own)
}

// What cannot be noted is not accepted: after a restart another disk would be taken for the first one.
func TestADiskThatCannotBeNotedIsRefused(t *testing.T) {
	c := Config{Dir: filepath.Join(t.TempDir(), "data")}
	require.NoError(t, os.Mkdir(c.Dir, 0o700))
	d, err := c.openDisks()
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(c.Dir))
	require.ErrorContains(t, d.meet(2, peer.Disk{1}), "the disk of replica 2 cannot be noted")
	require.NoError(t, os.Mkdir(c.Dir, 0o700))
	require.NoError(t, d.meet(2, peer.Disk{2}))
}

func TestADamagedFileOfDisksIsNamed(t *testing.T) {
	c := Config{Dir: t.TempDir()}
	own := `"own": "00112233445566778899aabbccddeeff"`
	for text, says := range map[string]string{
		`{"format": "chubby-disks", "version": 1, ` + own + `, "peers": {"two": ""}}`:         `peer "two"`,
		`{"format": "chubby-disks", "version": 1, ` + own + `, "peers": {"2": "ab"}}`:         `peer "2": disk "ab": it is not 16 bytes`,
		`{"format": "chubby-disks", "version": 1, "own": "00000000000000000000000000000000"}`: "all of them are 0",
		`{"format": "chubby-disks", "version": 2, ` + own + `}`:                               "version 2",
		`{"format": "chubby-disks", "version": 1, ` + own + `, "others": {}}`:                 `unknown field "others"`,
		``: "EOF",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(c.Dir, disksFile), []byte(text), 0o600))
		_, err := c.openDisks()
		require.ErrorContains(t, err, says, "%s", text)
		require.ErrorContains(t, err, disksFile)
	}
}
