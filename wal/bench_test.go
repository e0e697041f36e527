package wal_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/wal"
	"github.com/chubbycell/chubby/wal/vfs"
)

const benchData = 100

// BenchmarkLog appends groups of entries of 100 bytes to files of the machine and
// syncs each group.
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

// BenchmarkBesideRaw is the log beside the least that a log must do: in turn, a
// group of entries appended and synced, and the same number of bytes written to
// a file and synced with fdatasync, on the disk of the temporary directory (set
// TMPDIR to a real one). The ratio is that of the two medians: a disk that others
// use has long outliers.
func BenchmarkBesideRaw(b *testing.B) {
	for _, group := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("%d a sync", group), func(b *testing.B) { benchBesideRaw(b, group) })
	}
}

func benchBesideRaw(b *testing.B, group int) {
	fsys := vfs.NewOS(b.TempDir())
	l, _, err := wal.Open(fsys, dir, wal.Options{})
	require.NoError(b, err)
	es, data, tag := make([]wal.Entry, group), strings.Repeat("x", benchData), make([]byte, 20)
	r := newRaw(b, fsys, group*(28+len(tag)+len(data)+4))
	var logged, written []time.Duration
	for b.Loop() {
		began := time.Now()
		for i := range es {
			es[i] = wal.Entry{LSN: l.Next() + wal.LSN(i), Kind: 1, Tag: tag, Data: data}
		}
		if err := errors.Join(l.Append(es...), l.Sync()); err != nil {
			b.Fatal(err)
		}
		between := time.Now()
		r.write(b)
		logged, written = append(logged, between.Sub(began)), append(written, time.Since(between))
	}
	log, raw := median(logged), median(written)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(log.Microseconds()), "log-us")
	b.ReportMetric(float64(raw.Microseconds()), "raw-us")
	b.ReportMetric(float64(log)/float64(raw), "log/raw")
	require.NoError(b, l.Close())
	require.NoError(b, r.file.Close())
}

// raw writes blocks of one size behind each other into a file as long as a
// segment, from the start again when it is full.
type raw struct {
	file  vfs.File
	block []byte
	at    int64
}

func newRaw(b *testing.B, fsys vfs.FS, size int) *raw {
	f, err := fsys.Create("raw")
	require.NoError(b, err)
	require.NoError(b, f.Preallocate(wal.DefaultSegmentSize))
	require.NoError(b, f.Sync())
	return &raw{file: f, block: []byte(strings.Repeat("x", size))}
}

func (r *raw) write(b *testing.B) {
	if r.at+int64(len(r.block)) > wal.DefaultSegmentSize {
		r.at = 0
	}
	if _, err := r.file.WriteAt(r.block, r.at); err != nil {
		b.Fatal(err)
	}
	if err := r.file.SyncData(); err != nil {
		b.Fatal(err)
	}
	r.at += int64(len(r.block))
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
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
