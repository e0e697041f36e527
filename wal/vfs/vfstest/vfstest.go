// Package vfstest is test support: the conformance suite of vfs.FS (run it first on a
// file system of your own that the log is to use), a recorder of calls, and death at
// the n-th of them.
package vfstest

import (
	"errors"
	"io"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/wal/vfs"
)

// Run checks what package vfs promises as far as it can be seen without a crash.
// Each call of fresh gives an empty file system.
func Run(t *testing.T, fresh func() vfs.FS) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.run(t, fresh()) })
	}
}

var cases = []struct {
	name string
	run  func(*testing.T, vfs.FS)
}{
	{"create refuses a taken name", createTwice},
	{"what is missing is ErrNotExist", missing},
	{"bad names are ErrInvalid", badNames},
	{"read back what was written", readBack},
	{"two handles see one file", twoHandles},
	{"read beyond the end", readBeyond},
	{"a write beyond the end leaves zeros", writeBeyond},
	{"preallocate grows with zeros and never cuts", preallocate},
	{"truncate cuts, and growth reads zeros", truncate},
	{"closed files refuse", closed},
	{"names are listed in order", readDir},
	{"rename replaces", rename},
	{"remove", remove},
	{"mkdirall", mkdirAll},
	{"lock excludes", lock},
	{"sync succeeds", syncs},
}

func create(t *testing.T, f vfs.FS, name, content string) {
	t.Helper()
	h, err := f.Create(name)
	require.NoError(t, err)
	write(t, h, 0, content)
	require.NoError(t, h.Close())
}

func write(t *testing.T, h vfs.File, off int64, content string) {
	t.Helper()
	n, err := h.WriteAt([]byte(content), off)
	require.NoError(t, err)
	require.Equal(t, len(content), n)
}

func open(t *testing.T, f vfs.FS, name string) vfs.File {
	t.Helper()
	h, err := f.Open(name)
	require.NoError(t, err)
	t.Cleanup(func() { _ = h.Close() })
	return h
}

func want(t *testing.T, h vfs.File, content string) {
	t.Helper()
	size, err := h.Size()
	require.NoError(t, err)
	require.Equal(t, int64(len(content)), size)
	b := make([]byte, size)
	n, err := h.ReadAt(b, 0)
	require.Equal(t, len(content), n)
	if err != nil {
		require.Equal(t, io.EOF, err)
	}
	require.Equal(t, content, string(b))
}

// fails checks that err is want and names the path.
func fails(t *testing.T, err, want error, name string) {
	t.Helper()
	require.ErrorIs(t, err, want)
	var pe *fs.PathError
	require.True(t, errors.As(err, &pe), "%v is no *fs.PathError", err)
	require.Equal(t, name, pe.Path)
	require.NotEmpty(t, pe.Op)
}

func createTwice(t *testing.T, f vfs.FS) {
	create(t, f, "a", "first")
	_, err := f.Create("a")
	fails(t, err, fs.ErrExist, "a")
	want(t, open(t, f, "a"), "first")
}

func missing(t *testing.T, f vfs.FS) {
	_, err := f.Open("a")
	fails(t, err, fs.ErrNotExist, "a")
	_, err = f.Create("no/a")
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = f.ReadDir("no")
	fails(t, err, fs.ErrNotExist, "no")
	fails(t, f.Remove("a"), fs.ErrNotExist, "a")
	fails(t, f.Rename("a", "b"), fs.ErrNotExist, "a")
	fails(t, f.SyncDir("no"), fs.ErrNotExist, "no")
}

func badNames(t *testing.T, f vfs.FS) {
	for _, name := range []string{"", "/a", "a/", "../a", "a//b"} {
		_, err := f.Create(name)
		fails(t, err, fs.ErrInvalid, name)
		_, err = f.Open(name)
		fails(t, err, fs.ErrInvalid, name)
		_, err = f.ReadDir(name)
		fails(t, err, fs.ErrInvalid, name)
		_, err = f.Lock(name)
		fails(t, err, fs.ErrInvalid, name)
		fails(t, f.Remove(name), fs.ErrInvalid, name)
		fails(t, f.SyncDir(name), fs.ErrInvalid, name)
		fails(t, f.MkdirAll(name), fs.ErrInvalid, name)
		require.ErrorIs(t, f.Rename(name, "b"), fs.ErrInvalid)
		require.ErrorIs(t, f.Rename("b", name), fs.ErrInvalid)
	}
}

func readBack(t *testing.T, f vfs.FS) {
	h, err := f.Create("a")
	require.NoError(t, err)
	var all []byte
	for i := range 300 { // across sectors and pages, at odd offsets
		b := make([]byte, 37)
		for j := range b {
			b[j] = byte(i*7 + j)
		}
		write(t, h, int64(len(all)), string(b))
		all = append(all, b...)
	}
	write(t, h, 5000, "overwritten")
	copy(all[5000:], "overwritten")
	want(t, h, string(all))
	part := make([]byte, 100)
	n, err := h.ReadAt(part, 4990)
	require.NoError(t, err)
	require.Equal(t, 100, n)
	require.Equal(t, all[4990:5090], part)
	require.NoError(t, h.Close())
	want(t, open(t, f, "a"), string(all))
}

func twoHandles(t *testing.T, f vfs.FS) {
	create(t, f, "a", "xxxx")
	one, two := open(t, f, "a"), open(t, f, "a")
	write(t, one, 1, "yy")
	want(t, two, "xyyx")
}

func readBeyond(t *testing.T, f vfs.FS) {
	create(t, f, "a", "1234")
	h := open(t, f, "a")
	b := make([]byte, 4)
	n, err := h.ReadAt(b, 2)
	require.Equal(t, 2, n)
	require.Equal(t, io.EOF, err)
	n, err = h.ReadAt(b, 10)
	require.Zero(t, n)
	require.Equal(t, io.EOF, err)
}

func writeBeyond(t *testing.T, f vfs.FS) {
	create(t, f, "a", "12")
	h := open(t, f, "a")
	write(t, h, 6, "78")
	want(t, h, "12\x00\x00\x00\x0078")
}

func preallocate(t *testing.T, f vfs.FS) {
	create(t, f, "a", "12")
	h := open(t, f, "a")
	require.NoError(t, h.Preallocate(4))
	want(t, h, "12\x00\x00")
	require.NoError(t, h.Preallocate(1))
	want(t, h, "12\x00\x00")
	require.NoError(t, h.Preallocate(10_000))
	write(t, h, 9_998, "zz")
	want(t, h, "12"+string(make([]byte, 9_996))+"zz")
}

func truncate(t *testing.T, f vfs.FS) {
	long := make([]byte, 10_000)
	for i := range long {
		long[i] = byte(i%250) + 1
	}
	create(t, f, "a", string(long))
	h := open(t, f, "a")
	require.NoError(t, h.Truncate(700))
	want(t, h, string(long[:700]))
	require.NoError(t, h.Truncate(9_000))
	want(t, h, string(long[:700])+string(make([]byte, 8_300)))
	require.NoError(t, h.Truncate(3))
	require.NoError(t, h.Preallocate(6))
	want(t, h, string(long[:3])+"\x00\x00\x00")
}

func closed(t *testing.T, f vfs.FS) {
	h, err := f.Create("a")
	require.NoError(t, err)
	require.NoError(t, h.Close())
	_, err = h.ReadAt(make([]byte, 1), 0)
	fails(t, err, fs.ErrClosed, "a")
	_, err = h.WriteAt(make([]byte, 1), 0)
	fails(t, err, fs.ErrClosed, "a")
	fails(t, h.Close(), fs.ErrClosed, "a")
	require.Error(t, h.Sync())
	require.Error(t, h.SyncData())
}

func readDir(t *testing.T, f vfs.FS) {
	require.NoError(t, f.MkdirAll("d/sub"))
	for _, name := range []string{"d/b", "d/a", "d/c", "d/sub/x", "top"} {
		create(t, f, name, "")
	}
	names, err := f.ReadDir("d")
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b", "c", "sub"}, names)
	names, err = f.ReadDir(".")
	require.NoError(t, err)
	require.Equal(t, []string{"d", "top"}, names)
}

func rename(t *testing.T, f vfs.FS) {
	create(t, f, "a", "new")
	create(t, f, "b", "old")
	require.NoError(t, f.Rename("a", "b"))
	want(t, open(t, f, "b"), "new")
	_, err := f.Open("a")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func remove(t *testing.T, f vfs.FS) {
	create(t, f, "a", "gone")
	require.NoError(t, f.Remove("a"))
	_, err := f.Open("a")
	require.ErrorIs(t, err, fs.ErrNotExist)
	create(t, f, "a", "again")
	want(t, open(t, f, "a"), "again")
	require.NoError(t, f.MkdirAll("d"))
	create(t, f, "d/x", "")
	require.Error(t, f.Remove("d"), "not empty")
	require.NoError(t, f.Remove("d/x"))
	require.NoError(t, f.Remove("d"))
}

func mkdirAll(t *testing.T, f vfs.FS) {
	require.NoError(t, f.MkdirAll("."))
	require.NoError(t, f.MkdirAll("a/b/c"))
	require.NoError(t, f.MkdirAll("a/b"))
	create(t, f, "a/b/c/file", "x")
	require.Error(t, f.MkdirAll("a/b/c/file"))
	require.Error(t, f.MkdirAll("a/b/c/file/d"))
}

func lock(t *testing.T, f vfs.FS) {
	l, err := f.Lock("LOCK")
	require.NoError(t, err)
	_, err = f.Lock("LOCK")
	fails(t, err, vfs.ErrLocked, "LOCK")
	require.NoError(t, l.Close())
	l, err = f.Lock("LOCK")
	require.NoError(t, err)
	require.NoError(t, l.Close())
}

func syncs(t *testing.T, f vfs.FS) {
	create(t, f, "a", "x")
	h := open(t, f, "a")
	write(t, h, 0, "yz")
	require.NoError(t, h.SyncData())
	require.NoError(t, h.Sync())
	require.NoError(t, f.SyncDir("."))
	want(t, h, "yz")
}
