package frail_test

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/wal/vfs"
	"github.com/chubbycell/chubby/wal/vfs/frail"
	"github.com/chubbycell/chubby/wal/vfs/vfstest"
)

func never() bool { return false }

func TestVolatileConforms(t *testing.T) {
	vfstest.Run(t, func() vfs.FS { return frail.Volatile(vfs.NewOS(t.TempDir())) })
}

func TestFillableConforms(t *testing.T) {
	vfstest.Run(t, func() vfs.FS { return frail.Fillable(vfs.NewOS(t.TempDir()), never) })
}

func write(t require.TestingT, f vfs.File, text string, off int64) {
	_, err := f.WriteAt([]byte(text), off)
	require.NoError(t, err)
}

func contents(t require.TestingT, fsys vfs.FS, name string) string {
	f, err := fsys.Open(name)
	require.NoError(t, err)
	defer f.Close()
	size, err := f.Size()
	require.NoError(t, err)
	b := make([]byte, size)
	if size > 0 {
		_, err = f.ReadAt(b, 0)
		require.NoError(t, err)
	}
	return string(b)
}

// A process that dies leaves what it synced, and nothing else.
func TestWhatWasNotSyncedIsLostWithTheProcess(t *testing.T) {
	base := vfs.NewOS(t.TempDir())
	life := frail.Volatile(base)
	f, err := life.Create("a")
	require.NoError(t, err)
	write(t, f, "durable", 0)
	require.NoError(t, f.SyncData())

	require.Empty(t, names(t, frail.Volatile(base)), "the name was not synced")
	life = frail.Volatile(base)
	f, err = life.Create("a")
	require.NoError(t, err)
	write(t, f, "durable", 0)
	require.NoError(t, life.SyncDir("."))
	require.Equal(t, "", contents(t, frail.Volatile(base), "a"), "the contents were not synced")

	require.NoError(t, f.SyncData())
	write(t, f, "volatile", 3)
	require.NoError(t, f.Truncate(9))
	require.Equal(t, "durvolati", contents(t, life, "a"))
	require.NoError(t, life.Rename("a", "b"))
	_, err = life.Create("c")
	require.NoError(t, err)
	require.Equal(t, []string{"b", "c"}, names(t, life))

	next := frail.Volatile(base)
	require.Equal(t, []string{"a"}, names(t, next))
	require.Equal(t, "durable", contents(t, next, "a"))
	have, err := base.ReadDir(".")
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, have, "what the first life left is removed")
}

func names(t require.TestingT, fsys vfs.FS) []string {
	all, err := fsys.ReadDir(".")
	require.NoError(t, err)
	return all
}

// The same calls leave the same files as on a Mem: seen by the process, and after a power cut
// that takes all that was not synced.
func TestVolatileIsAMemThatKeepsNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mem, base := vfs.NewMem(), vfs.NewMem()
		fsys := frail.Volatile(base)
		both := func(f func(fsys vfs.FS) error) {
			want, got := f(mem), f(fsys)
			require.Equal(t, want == nil, got == nil, "%v, and not %v", got, want)
		}
		with := func(name string, f func(h vfs.File) error) {
			both(func(fsys vfs.FS) error {
				h, err := fsys.Open(name)
				if err != nil {
					return err
				}
				defer h.Close()
				return f(h)
			})
		}
		for range rapid.IntRange(1, 30).Draw(t, "calls") {
			name := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name")
			off := int64(rapid.SampledFrom([]int{0, 10, 511, 4090, 4096, 9000}).Draw(t, "off"))
			switch rapid.IntRange(0, 8).Draw(t, "call") {
			case 0:
				both(func(fsys vfs.FS) error {
					h, err := fsys.Create(name)
					if err != nil {
						return err
					}
					return h.Close()
				})
			case 1, 2:
				text := rapid.StringMatching("[a-z]{1,20}").Draw(t, "text")
				with(name, func(h vfs.File) error { _, err := h.WriteAt([]byte(text), off); return err })
			case 3:
				with(name, func(h vfs.File) error { return h.Truncate(off) })
			case 4:
				with(name, func(h vfs.File) error { return h.Sync() })
			case 5:
				both(func(fsys vfs.FS) error { return fsys.SyncDir(".") })
			case 6:
				to := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "to")
				both(func(fsys vfs.FS) error { return fsys.Rename(name, to) })
			case 7:
				both(func(fsys vfs.FS) error { return fsys.Remove(name) })
			case 8:
				with(name, func(h vfs.File) error { return h.Preallocate(off) })
			}
			same(t, mem, fsys)
		}
		mem.Crash(vfs.KeepNothing)
		same(t, mem, frail.Volatile(base))
	})
}

func same(t require.TestingT, want, got vfs.FS) {
	require.Equal(t, names(t, want), names(t, got))
	for _, name := range names(t, want) {
		require.Equal(t, contents(t, want, name), contents(t, got, name), name)
	}
}

func TestAFullDiskTakesNothing(t *testing.T) {
	full := false
	fsys := frail.Fillable(vfs.NewMem(), func() bool { return full })
	f, err := fsys.Create("a")
	require.NoError(t, err)
	write(t, f, "abcd", 0)
	full = true
	n, err := f.WriteAt([]byte("WXYZ"), 0)
	require.ErrorIs(t, err, vfs.ErrNoSpace)
	require.Equal(t, 2, n)
	_, err = fsys.Create("b")
	require.ErrorIs(t, err, vfs.ErrNoSpace)
	require.ErrorIs(t, f.Preallocate(100), vfs.ErrNoSpace)
	require.ErrorIs(t, f.Truncate(100), vfs.ErrNoSpace)
	require.ErrorIs(t, fsys.MkdirAll("d"), vfs.ErrNoSpace)
	require.NoError(t, f.Preallocate(2))
	require.NoError(t, fsys.MkdirAll("."))
	require.Equal(t, "WXcd", contents(t, fsys, "a"))
	full = false
	write(t, f, "WXYZ", 0)
	require.NoError(t, fsys.MkdirAll("d"))
	_, err = fsys.Open("b")
	require.ErrorIs(t, err, fs.ErrNotExist)
}
