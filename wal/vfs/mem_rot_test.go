package vfs_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/wal/vfs"
)

func TestRotIsSeenAndStaysAfterACrash(t *testing.T) {
	m := vfs.NewMem()
	durable(t, m, "a", strings.Repeat("x", 600))
	require.NoError(t, m.Corrupt("a", 3, 1))
	require.NoError(t, m.Overlay("a", 510, []byte("yyyy")))
	want := "xxxy" + strings.Repeat("x", 506) + "yyyy" + strings.Repeat("x", 86)
	require.Equal(t, want, contents(t, m, "a"))
	require.Zero(t, m.Files()[0].Unsynced, "there was no write")
	m.Crash(vfs.KeepNothing)
	require.Equal(t, want, contents(t, m, "a"))
}

// What is written over a rotten place and not synced is taken by a crash; the
// rot is not.
func TestRotUnderAnUnsyncedWrite(t *testing.T) {
	m := vfs.NewMem()
	h := durable(t, m, "a", "old")
	_, err := h.WriteAt([]byte("new"), 0)
	require.NoError(t, err)
	require.NoError(t, m.Overlay("a", 0, []byte("R")))
	require.Equal(t, "Rew", contents(t, m, "a"))
	m.Crash(vfs.KeepNothing)
	require.Equal(t, "Rld", contents(t, m, "a"))
}

func TestRotNeedsAPlace(t *testing.T) {
	m := vfs.NewMem()
	durable(t, m, "a", "old")
	for _, err := range []error{
		m.Corrupt("a", 3, 1), m.Corrupt("b", 0, 1), m.Overlay("a", 2, []byte("xx")),
		m.Overlay("a", -1, []byte("x")), m.Spoil("a", 0, 4), m.Spoil("a", 0, 0),
	} {
		require.ErrorIs(t, err, fs.ErrNotExist)
	}
	require.Equal(t, "old", contents(t, m, "a"))
}

func TestASpoiltSectorIsUnreadableUntilItIsWritten(t *testing.T) {
	m := vfs.NewMem()
	h := durable(t, m, "a", strings.Repeat("x", 1600))
	require.NoError(t, m.Spoil("a", 600, 1))
	b := make([]byte, 512)
	_, err := h.ReadAt(b, 0)
	require.NoError(t, err, "the sector before")
	_, err = h.ReadAt(b, 1024)
	require.NoError(t, err, "the sector after")
	for _, off := range []int64{1, 512, 1023} {
		_, err = h.ReadAt(b, off)
		require.ErrorIs(t, err, vfs.ErrIO)
		require.ErrorContains(t, err, "readat a")
	}
	m.Crash(vfs.KeepNothing)
	h, err = m.Clone().Open("a")
	require.NoError(t, err)
	_, err = h.ReadAt(b, 512)
	require.ErrorIs(t, err, vfs.ErrIO, "the disk is bad")
	_, err = h.WriteAt([]byte("y"), 700)
	require.NoError(t, err)
	_, err = h.ReadAt(b, 512)
	require.NoError(t, err)
}

func TestAWriteThatGoesAstray(t *testing.T) {
	m := vfs.NewMem()
	a, b := durable(t, m, "a", "aaaa"), durable(t, m, "b", "bbbb")
	m.SetFault(on(vfs.OpWriteAt, vfs.Fault{Astray: &vfs.Place{Name: "b", Off: 1}}))
	n, err := a.WriteAt([]byte("xx"), 0)
	require.NoError(t, err)
	require.Equal(t, 2, n)
	require.Equal(t, "aaaa", contents(t, m, "a"), "the old bytes stay")
	require.Equal(t, "bxxb", contents(t, m, "b"))
	require.NoError(t, a.Sync())
	c := m.Clone()
	c.Crash(vfs.KeepNothing)
	require.Equal(t, "bbbb", contents(t, c, "b"), "it is written there as any write is")
	require.NoError(t, b.Sync())
	m.Crash(vfs.KeepNothing)
	require.Equal(t, "bxxb", contents(t, m, "b"))

	m.SetFault(on(vfs.OpWriteAt, vfs.Fault{Astray: &vfs.Place{Name: "none"}}))
	a, err = m.Open("a")
	require.NoError(t, err)
	_, err = a.WriteAt([]byte("xx"), 0)
	require.NoError(t, err)
	require.Equal(t, "aaaa", contents(t, m, "a"))
}

// A file that is lost is gone for good, also where its name, or that it was renamed,
// was not yet on the disk.
func TestAFileThatIsLostDoesNotComeBack(t *testing.T) {
	for _, choose := range []vfs.Chooser{vfs.KeepNothing, vfs.KeepAll} {
		m := vfs.NewMem()
		durable(t, m, "a", "old")
		durable(t, m, "b", "stays")
		require.NoError(t, m.Lose("a"))
		_, err := m.Open("a")
		require.ErrorIs(t, err, fs.ErrNotExist)
		_, err = m.Create("c")
		require.NoError(t, err)
		require.NoError(t, m.Lose("c"))
		m.Crash(choose)
		require.Len(t, m.Files(), 1)
		require.Equal(t, "stays", contents(t, m, "b"))
	}
	m := vfs.NewMem()
	require.NoError(t, m.MkdirAll("d"))
	require.ErrorIs(t, m.Lose("a"), fs.ErrNotExist)
	require.ErrorIs(t, m.Lose("d"), fs.ErrNotExist, "no file")
}
