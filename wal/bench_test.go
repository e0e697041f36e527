package wal_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/wal"
	"github.com/chubbycell/chubby/wal/vfs"
)

const benchData = 100

// BenchmarkLog appends groups of entries of 100 bytes to files of the machine and
// syncs each group; BenchmarkRaw writes and syncs the same bytes without a log.
func BenchmarkLog(b *testing.B) {
	for _, group := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("%d a sync", group), func(b *testing.B) {
			benchLog(b, vfs.NewOS(b.TempDir()), group)
		})
	}
}

// BenchmarkLogMem is the share of the log itself.
func BenchmarkLogMem(b *testing.B) {
	for _, group := range []int{1, 100} {
		b.Run(fmt.Sprintf("%d a sync", group), func(b *testing.B) { benchLog(b, vfs.NewMem(), group) })
	}
}

func benchLog(b *testing.B, fsys vfs.FS, group int) {
	l, _, err := wal.Open(fsys, dir, wal.Options{})
	require.NoError(b, err)
	es, data, tag := make([]wal.Entry, group), strings.Repeat("x", benchData), make([]byte, 20)
	b.ReportAllocs()
	for b.Loop() {
		for i := range es {
			es[i] = wal.Entry{LSN: l.Next() + wal.LSN(i), Kind: 1, Tag: tag, Data: data}
		}
		if err := l.Append(es...); err != nil {
			b.Fatal(err)
		}
		if err := l.Sync(); err != nil {
			b.Fatal(err)
		}
		if l.Next()%100_000 == 1 {
			require.NoError(b, l.DropBefore(l.Next()))
		}
	}
	b.ReportMetric(float64(b.N*group)/b.Elapsed().Seconds(), "entries/s")
	require.NoError(b, l.Close())
}

func BenchmarkRaw(b *testing.B) {
	const frame = 28 + 20 + benchData + 4
	for _, group := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("%d a sync", group), func(b *testing.B) {
			f, err := vfs.NewOS(b.TempDir()).Create("raw")
			require.NoError(b, err)
			require.NoError(b, f.Preallocate(wal.DefaultSegmentSize))
			require.NoError(b, f.Sync())
			buf, off := make([]byte, group*frame), int64(0)
			for b.Loop() {
				if off+int64(len(buf)) > wal.DefaultSegmentSize {
					off = 0
				}
				if _, err := f.WriteAt(buf, off); err != nil {
					b.Fatal(err)
				}
				if err := f.SyncData(); err != nil {
					b.Fatal(err)
				}
				off += int64(len(buf))
			}
			b.ReportMetric(float64(b.N*group)/b.Elapsed().Seconds(), "entries/s")
			require.NoError(b, f.Close())
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	m := vfs.NewMem()
	l, _, err := wal.Open(m, dir, wal.Options{})
	require.NoError(b, err)
	for range 10_000 {
		require.NoError(b, l.Append(wal.Entry{LSN: l.Next(), Kind: 1, Data: strings.Repeat("x", benchData)}))
	}
	require.NoError(b, l.Idle())
	for b.Loop() {
		require.NoError(b, l.Close())
		l, _, err = wal.Open(m, dir, wal.Options{})
		require.NoError(b, err)
	}
	b.ReportMetric(float64(b.N)*10_000/b.Elapsed().Seconds(), "entries/s")
}
