package chubbytest

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/wal/vfs"
	"github.com/chubbycell/chubby/wal/vfs/vfstest"
)

func TestADiskIsAFileSystem(t *testing.T) {
	vfstest.Run(t, func() vfs.FS { return mounted{newDisk(), &gate{}} })
}

// A power cut takes what was not synced, frees the locks, and ends the files that were open.
func TestADiskLosesPower(t *testing.T) {
	d := newDisk()
	before := mounted{d, &gate{}}
	held, err := before.Lock("lock")
	require.NoError(t, err)
	f, err := before.Create("file")
	require.NoError(t, err)
	_, err = f.WriteAt([]byte("kept"), 0)
	require.NoError(t, err)
	require.NoError(t, f.Sync())
	require.NoError(t, before.SyncDir("."))
	_, err = f.WriteAt([]byte("lost"), 0)
	require.NoError(t, err)
	d.crash()

	require.ErrorIs(t, f.Sync(), vfs.ErrCrashed)
	after := mounted{d, &gate{}}
	_, err = after.Lock("lock")
	require.NoError(t, err)
	require.NoError(t, held.Close())
	f, err = after.Open("file")
	require.NoError(t, err)
	text := make([]byte, 4)
	_, err = f.ReadAt(text, 0)
	require.NoError(t, err)
	require.Equal(t, "kept", string(text))
}

// A paused replica does nothing: its disk, its clock and what it sends wait.
func TestAPausedReplicaDoesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &life{cell: &Cell{lives: make([]*life, 1)}, id: 1}
		for name, act := range map[string]func(){
			"disk":    func() { _, _ = mounted{newDisk(), &l.gate}.Create("file") },
			"clock":   func() { _ = l.now() },
			"peers":   func() { l.ToPeer(1, nil) },
			"clients": func() { l.ToClient(1, nil) },
		} {
			require.True(t, l.gate.shut())
			require.False(t, l.gate.shut())
			begin := time.Now()
			time.AfterFunc(time.Hour, func() { l.gate.open() })
			act()
			require.Equal(t, time.Hour, time.Since(begin), name)
		}
	})
}

// Kill is a power cut, not a stop that leaves everything in order.
func TestKillCutsThePower(t *testing.T) {
	c := Start(t, Options{Replicas: 1})
	open, err := mounted{c.disks[0], &gate{}}.Create("open")
	require.NoError(t, err)
	c.Kill(1)
	require.ErrorIs(t, open.Sync(), vfs.ErrCrashed)
}
