package wal_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/wal"
	"github.com/chubbycell/chubby/wal/vfs"
)

const firstFile = dir + "/0000000000000001.wal"

// places returns the offset of the frame of each entry, as Dump prints them, and
// under 0 where the file's frames end.
func places(t *testing.T, m *vfs.Mem, file string) map[wal.LSN]int64 {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, wal.Dump(m, file, &out))
	at := map[wal.LSN]int64{}
	for line := range strings.Lines(out.String()) {
		var off int64
		var lsn wal.LSN
		if n, _ := fmt.Sscanf(line, "%d #%d", &off, &lsn); n == 2 {
			at[lsn] = off
		} else if n == 1 {
			at[0] = off
		}
	}
	return at
}

// inData and inHeader are places within a frame with a tag of two bytes.
const (
	inHeader = 9
	inData   = 35
)

func TestTornOrRotten(t *testing.T) {
	// #1 and #2 were synced one by one, #3 and #4 are one group that was not.
	cases := []struct {
		name  string
		lsn   wal.LSN
		where int64
		known wal.LSN // Options.Watermark
		idle  bool    // the group was synced and marked
		// what recovery says: rotten entries, entries left, or damage.
		rotten  []wal.LSN
		left    wal.LSN
		damaged bool
	}{
		{name: "data below a watermark is rotten", lsn: 1, where: inData, rotten: []wal.LSN{1}, left: 4},
		{name: "data below the watermark of unsynced frames is rotten", lsn: 2, where: inData, rotten: []wal.LSN{2}, left: 4},
		{name: "data above is torn, and so is the good frame behind", lsn: 3, where: inData, left: 2},
		{name: "the last data is torn", lsn: 4, where: inData, left: 3},
		{name: "a header below a watermark is damage", lsn: 1, where: inHeader, damaged: true},
		{name: "a header below the watermark of unsynced frames is damage", lsn: 2, where: inHeader, damaged: true},
		{name: "a header above is torn, and so is the good frame behind", lsn: 3, where: inHeader, left: 2},
		{name: "data that the owner knows of is rotten", lsn: 3, where: inData, known: 3, rotten: []wal.LSN{3}, left: 4},
		{name: "a header that the owner knows of is damage", lsn: 3, where: inHeader, known: 3, damaged: true},
		{name: "an end that the owner knows of is damage", lsn: 3, where: inData, known: 5, damaged: true},
		{name: "a mark makes the last data rotten", lsn: 4, where: inData, idle: true, rotten: []wal.LSN{4}, left: 4},
		{name: "a mark makes the last header damage", lsn: 4, where: inHeader, idle: true, damaged: true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m, w := vfs.NewMem(), &twin{}
			l := w.open(t, m, wal.Options{})
			require.NoError(t, w.append(l, 1, 40, 0))
			require.NoError(t, w.sync(l))
			require.NoError(t, w.append(l, 1, 40, 0))
			require.NoError(t, w.sync(l))
			require.NoError(t, w.append(l, 2, 40, 0))
			if c.idle {
				require.NoError(t, l.Idle())
			}
			m.Crash(vfs.KeepAll)
			require.NoError(t, m.Corrupt(firstFile, places(t, m, firstFile)[c.lsn]+c.where, 4))
			_, r, err := wal.Open(m, dir, wal.Options{Watermark: c.known})
			if c.damaged {
				var d *wal.DamageError
				require.ErrorAs(t, err, &d)
				require.Equal(t, firstFile, d.File)
				require.ErrorIs(t, err, wal.ErrDamaged)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.left+1, r.Next)
			var rotten []wal.LSN
			for _, d := range r.Damaged {
				rotten = append(rotten, d.LSN)
				require.Equal(t, fmt.Sprintf("t%d", d.LSN), string(d.Tag))
				require.EqualValues(t, 1+d.LSN%3, d.Kind)
				require.Equal(t, firstFile, d.File)
			}
			require.Equal(t, c.rotten, rotten)
			require.Len(t, r.Entries, int(c.left)-len(rotten))
			require.Equal(t, c.left < 4, r.Torn != nil)
		})
	}
}

// The one thing that a watermark cannot tell, as doc.go says.
func TestRotBehindTheLastWatermarkLooksTorn(t *testing.T) {
	m, w := vfs.NewMem(), &twin{}
	l := w.open(t, m, wal.Options{})
	require.NoError(t, w.append(l, 2, 40, 0))
	require.NoError(t, w.sync(l))
	m.Crash(vfs.KeepNothing)
	require.NoError(t, m.Corrupt(firstFile, places(t, m, firstFile)[2]+inData, 4))
	_, r, err := wal.Open(m, dir, wal.Options{})
	require.NoError(t, err)
	require.EqualValues(t, 2, r.Next)
	require.NotNil(t, r.Torn)
}

func TestRotIsReportedOnEachOpeningUntilItIsDropped(t *testing.T) {
	m, w := vfs.NewMem(), &twin{}
	o := wal.Options{SegmentSize: 200}
	l := w.open(t, m, o)
	require.NoError(t, w.append(l, 6, 60, 0))
	require.NoError(t, l.Idle())
	require.NoError(t, m.Corrupt(firstFile, places(t, m, firstFile)[1]+inData, 4))
	for range 2 {
		require.NoError(t, l.Close())
		var r wal.Recovery
		var err error
		l, r, err = wal.Open(m, dir, o)
		require.NoError(t, err)
		require.Len(t, r.Damaged, 1)
		require.EqualValues(t, 7, r.Next)
	}
	require.NoError(t, w.drop(l, 5))
	require.NoError(t, l.Close())
	w.acked = 6
	w.open(t, m, o)
}

// One bit of any byte of any file: what was acknowledged is never missing in
// silence.
func TestAnyBitOfAnyFile(t *testing.T) {
	m, w := vfs.NewMem(), &twin{}
	o := wal.Options{SegmentSize: 600}
	l := w.open(t, m, o)
	for i := range 5 {
		require.NoError(t, w.append(l, 2, 30*i, 0))
		require.NoError(t, w.sync(l))
	}
	require.NoError(t, l.Idle())
	m.Crash(vfs.KeepNothing)
	seen := map[string]int{}
	for _, f := range m.Files() {
		for off := range f.Size {
			c := m.Clone()
			require.NoError(t, c.Corrupt(f.Name, off, 1<<(off%8)))
			seen[verdict(t, c, w, f.Name)]++
		}
	}
	require.NoError(t, m.SyncDir("."))
	require.Len(t, m.Files(), 5, "two segments, two copies, a lock")
	for _, v := range []string{"unharmed", "cut", "rotten", "damaged", "version", "repaired"} {
		require.Positive(t, seen[v], v)
	}
}

func verdict(t *testing.T, m *vfs.Mem, w *twin, file string) string {
	t.Helper()
	r, _, err := agree(t, m, 0)
	var d *wal.DamageError
	switch {
	case errors.As(err, &d):
		require.Equal(t, file, d.File)
		return "damaged"
	case errors.Is(err, wal.ErrVersion):
		require.ErrorContains(t, err, file)
		return "version"
	}
	require.NoError(t, err)
	require.Equal(t, w.next(), r.Next)
	require.Len(t, r.Entries, len(w.entries)-len(r.Damaged))
	skip := 0
	for i, e := range r.Entries {
		if len(r.Damaged) > 0 && i == int(r.Damaged[0].LSN-1) {
			skip = 1
		}
		require.True(t, same(w.entries[i+skip], e))
	}
	switch {
	case len(r.Damaged) > 0:
		require.Len(t, r.Damaged, 1)
		return "rotten"
	case len(r.Repaired) > 0:
		require.Equal(t, []string{file}, r.Repaired)
		return "repaired"
	case r.Torn != nil:
		return "cut"
	}
	return "unharmed"
}

func TestLostFilesAreDamage(t *testing.T) {
	build := func() *vfs.Mem {
		m, w := vfs.NewMem(), &twin{}
		l := w.open(t, m, wal.Options{SegmentSize: 200})
		require.NoError(t, w.append(l, 6, 60, 0))
		require.NoError(t, w.sync(l))
		require.NoError(t, l.Close())
		return m
	}
	last := dir + "/0000000000000006.wal"
	for name, harm := range map[string]func(*vfs.Mem) error{
		"first segment gone": func(m *vfs.Mem) error { return m.Remove(firstFile) },
		"last segment gone":  func(m *vfs.Mem) error { return m.Remove(last) },
		"last segment empty": func(m *vfs.Mem) error { return truncate(m, last, 0) },
		"first segment cut":  func(m *vfs.Mem) error { return truncate(m, firstFile, 60) },
		"segments swapped":   func(m *vfs.Mem) error { return m.Rename(firstFile, last) },
		"manifest gone": func(m *vfs.Mem) error {
			return errors.Join(m.Remove(dir+"/manifest.a"), m.Remove(dir+"/manifest.b"))
		},
		"manifest empty": func(m *vfs.Mem) error {
			return errors.Join(truncate(m, dir+"/manifest.a", 0), truncate(m, dir+"/manifest.b", 0))
		},
		"manifest half gone, half empty": func(m *vfs.Mem) error {
			return errors.Join(m.Remove(dir+"/manifest.b"), truncate(m, dir+"/manifest.a", 0))
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := build()
			require.NoError(t, harm(m))
			_, _, err := wal.Open(m, dir, wal.Options{})
			require.ErrorIs(t, err, wal.ErrDamaged)
			_, _, err = wal.Open(m, dir, wal.Options{})
			require.ErrorIs(t, err, wal.ErrDamaged, "and it stays so; the lock is free")
		})
	}
	m := build()
	b, err := m.Contents(last)
	require.NoError(t, err)
	h, err := m.Open(firstFile)
	require.NoError(t, err)
	_, err = h.WriteAt(b, 0)
	require.NoError(t, err)
	_, _, err = wal.Open(m, dir, wal.Options{})
	require.ErrorIs(t, err, wal.ErrDamaged)
	require.ErrorContains(t, err, "this is segment 6 from #6", "a misdirected write")

	m = vfs.NewMem()
	_, _, err = wal.Open(m, dir, wal.Options{Watermark: 1})
	require.ErrorIs(t, err, wal.ErrDamaged, "an empty disk under an owner who knows better")
}

func truncate(m *vfs.Mem, name string, size int64) error {
	h, err := m.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(h.Truncate(size), h.Close())
}
