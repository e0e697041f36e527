package vfs_test

import (
	"bytes"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/wal/vfs"
)

func put(t *testing.T, m *vfs.Mem, name, content string) vfs.File {
	t.Helper()
	h, err := m.Create(name)
	require.NoError(t, err)
	_, err = h.WriteAt([]byte(content), 0)
	require.NoError(t, err)
	return h
}

// durable makes a file whose content and name are on the disk.
func durable(t *testing.T, m *vfs.Mem, name, content string) vfs.File {
	t.Helper()
	h := put(t, m, name, content)
	require.NoError(t, h.Sync())
	require.NoError(t, m.SyncDir("."))
	return h
}

func contents(t *testing.T, m *vfs.Mem, name string) string {
	t.Helper()
	b, err := m.Contents(name)
	require.NoError(t, err)
	return string(b)
}

func TestCrashKeepsWhatWasSynced(t *testing.T) {
	for seed := range uint64(200) {
		m := vfs.NewMem()
		durable(t, m, "a", strings.Repeat("a", 2000))
		m.Crash(vfs.Seeded(seed))
		require.Equal(t, strings.Repeat("a", 2000), contents(t, m, "a"))
	}
}

func TestCrashOnlyMixesOldAndNewBytes(t *testing.T) {
	const n = 4 * vfs.SectorSize
	seen := map[string]bool{}
	for seed := range uint64(4000) {
		m := vfs.NewMem()
		h := durable(t, m, "a", strings.Repeat("o", n))
		_, err := h.WriteAt(bytes.Repeat([]byte("n"), n-100), 50)
		require.NoError(t, err)
		m.Crash(vfs.Seeded(seed))
		got := contents(t, m, "a")
		require.Len(t, got, n)
		require.Equal(t, strings.Repeat("o", 50), got[:50], "bytes that were not written")
		require.Empty(t, strings.Trim(got, "on"))
		seen[shape(got)] = true
	}
	for _, shape := range []string{"oooo", "nnnn", "nooo", "onoo", "nnon", "/ooo", "oo\\o", "n/oo"} {
		require.True(t, seen[shape], "never left a file like %s", shape)
	}
}

// shape tells per sector: old, new, new then old (/), old then new (\). The
// fringe that was never written is not looked at.
func shape(s string) string {
	var b strings.Builder
	for i := range 4 {
		sector := s[i*vfs.SectorSize:][:vfs.SectorSize]
		sector = sector[50 : len(sector)-50]
		switch {
		case !strings.Contains(sector, "n"):
			b.WriteByte('o')
		case !strings.Contains(sector, "o"):
			b.WriteByte('n')
		case sector[0] == 'n':
			b.WriteByte('/')
		default:
			b.WriteByte('\\')
		}
	}
	return b.String()
}

func TestCrashModesAtTheEnds(t *testing.T) {
	build := func() *vfs.Mem {
		m := vfs.NewMem()
		h := durable(t, m, "a", "old")
		_, err := h.WriteAt([]byte("newer"), 0)
		require.NoError(t, err)
		put(t, m, "b", "b")
		require.NoError(t, m.Rename("b", "c"))
		return m
	}
	m := build()
	m.Crash(vfs.KeepNothing)
	require.Equal(t, "old", contents(t, m, "a"))
	require.Len(t, m.Files(), 1)
	m = build()
	m.Crash(vfs.KeepAll)
	require.Equal(t, "newer", contents(t, m, "a"))
	require.Equal(t, "b", contents(t, m, "c"))
	require.Len(t, m.Files(), 2)
}

func TestASyncedFileWithoutItsNameIsLost(t *testing.T) {
	m := vfs.NewMem()
	require.NoError(t, put(t, m, "a", "x").Sync())
	require.False(t, m.Files()[0].Named)
	m.Crash(vfs.KeepNothing)
	require.Empty(t, m.Files())
}

func TestARemovedNameMayComeBackUntilTheDirectoryIsSynced(t *testing.T) {
	m := vfs.NewMem()
	durable(t, m, "a", "x")
	require.NoError(t, m.Remove("a"))
	back := m.Clone()
	back.Crash(vfs.KeepNothing)
	require.Equal(t, "x", contents(t, back, "a"))
	require.NoError(t, m.SyncDir("."))
	m.Crash(vfs.KeepNothing)
	require.Empty(t, m.Files())
}

func TestRenameIsOldOrNewAndNeverTwoNames(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(100) {
		m := vfs.NewMem()
		durable(t, m, "a", "1")
		durable(t, m, "b", "2")
		require.NoError(t, m.Rename("a", "b"))
		require.NoError(t, m.Rename("b", "c"))
		m.Crash(vfs.Seeded(seed))
		var got []string
		for _, f := range m.Files() {
			got = append(got, f.Name+"="+contents(t, m, f.Name))
		}
		seen[strings.Join(got, " ")]++
	}
	require.Len(t, seen, 3)
	for _, want := range []string{"a=1 b=2", "b=1", "c=1"} {
		require.Positive(t, seen[want], want)
	}
}

func TestACutMayComeBackUntilSynced(t *testing.T) {
	m := vfs.NewMem()
	h := durable(t, m, "a", strings.Repeat("x", 3000))
	require.NoError(t, h.Truncate(100))
	require.NoError(t, h.Preallocate(1000))
	back := m.Clone()
	back.Crash(vfs.KeepNothing)
	require.Equal(t, strings.Repeat("x", 3000), contents(t, back, "a"))
	for seed := range uint64(100) { // whatever size is left, what lies beyond it is gone
		some := m.Clone()
		some.Crash(vfs.Seeded(seed))
		size := some.Files()[0].Size
		h, err := some.Open("a")
		require.NoError(t, err)
		require.NoError(t, h.Truncate(4000))
		require.Equal(t, strings.Repeat("\x00", int(4000-size)), contents(t, some, "a")[size:])
	}
	require.NoError(t, h.Sync())
	m.Crash(vfs.KeepNothing)
	require.Equal(t, strings.Repeat("x", 100)+strings.Repeat("\x00", 900), contents(t, m, "a"))
}

func TestCrashIsAFunctionOfItsChoices(t *testing.T) {
	build := func() *vfs.Mem {
		m := vfs.NewMem()
		for _, name := range []string{"c", "a", "b", "d"} {
			put(t, m, name, strings.Repeat(name, 5000))
		}
		return m
	}
	image := func(m *vfs.Mem) (s []string) {
		for _, f := range m.Files() {
			s = append(s, f.Name, contents(t, m, f.Name))
		}
		return s
	}
	var all [][]string
	for seed := range uint64(50) {
		m := build()
		c := m.Clone()
		m.Crash(vfs.Seeded(seed))
		c.Crash(vfs.Seeded(seed))
		require.Equal(t, image(m), image(c))
		all = append(all, image(m))
	}
	require.True(t, slices.ContainsFunc(all, func(s []string) bool { return !slices.Equal(s, all[0]) }))
}

func TestTheDeadStayDead(t *testing.T) {
	for name, die := range map[string]func(*vfs.Mem){
		"crash": func(m *vfs.Mem) { m.Crash(vfs.KeepAll) },
		"kill":  (*vfs.Mem).Kill,
	} {
		t.Run(name, func(t *testing.T) {
			m := vfs.NewMem()
			h := put(t, m, "a", "x")
			l, err := m.Lock("LOCK")
			require.NoError(t, err)
			die(m)
			_, err = h.WriteAt([]byte("y"), 0)
			require.ErrorIs(t, err, vfs.ErrCrashed)
			require.ErrorIs(t, h.Sync(), vfs.ErrCrashed)
			require.ErrorIs(t, h.Close(), vfs.ErrCrashed)
			_, err = m.Lock("LOCK")
			require.NoError(t, err)
			require.NoError(t, l.Close())
			_, err = m.Lock("LOCK")
			require.ErrorIs(t, err, vfs.ErrLocked, "a dead lock frees nothing")
			require.Equal(t, "x", contents(t, m, "a"))
		})
	}
}

func TestCrashWithinACall(t *testing.T) {
	m := vfs.NewMem()
	h := durable(t, m, "a", "x")
	m.SetFault(func(c vfs.Call) vfs.Fault {
		if c.Op == vfs.OpWriteAt {
			m.Crash(vfs.KeepNothing)
		}
		return vfs.Fault{}
	})
	_, err := h.WriteAt([]byte("y"), 0)
	require.ErrorIs(t, err, vfs.ErrCrashed)
	require.Equal(t, "x", contents(t, m, "a"))
	_, err = m.Open("b")
	require.ErrorIs(t, err, fs.ErrNotExist, "the disk lives on")
}

// What is small is torn as well as what fills a sector: a record of two copies that are
// written without a sync between them is lost now and then.
func TestWhatIsSmallIsTornToo(t *testing.T) {
	torn := 0
	for seed := range uint64(1000) {
		m := vfs.NewMem()
		h := durable(t, m, "a", strings.Repeat("o", 40))
		_, err := h.WriteAt(bytes.Repeat([]byte("n"), 40), 0)
		require.NoError(t, err)
		m.Crash(vfs.Seeded(seed))
		if got := contents(t, m, "a"); strings.Contains(got, "on") || strings.Contains(got, "no") {
			torn++
		}
	}
	require.Greater(t, torn, 100)
}

// Peek reads a part of a file as the running machine would, and nothing beyond its end.
func TestPeekReadsWhatTheRunningMachineSees(t *testing.T) {
	m := vfs.NewMem()
	put(t, m, "a", strings.Repeat("a", 5000)+"tail")
	b := []byte("------")
	require.Equal(t, 6, m.Peek("a", b, 4998))
	require.Equal(t, "aatail", string(b))
	require.Equal(t, 2, m.Peek("a", b, 5002))
	require.Equal(t, "iltail", string(b), "behind the end nothing is filled in")
	require.Zero(t, m.Peek("a", b, 5004))
	require.Zero(t, m.Peek("no such file", b, 0))
}
