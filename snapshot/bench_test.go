package snapshot_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/snapshot"
	"github.com/chubbycell/chubby/wal/vfs"
)

const benchSize = 32 << 20

// BenchmarkWrite writes and publishes a snapshot of 32 MiB, on files of the
// machine; BenchmarkRaw writes and syncs as many bytes in the same way without
// one.
func BenchmarkWrite(b *testing.B) {
	for _, chunk := range []int{64 << 10, 256 << 10, snapshot.DefaultChunkSize} {
		b.Run(fmt.Sprintf("chunk %dk", chunk>>10), func(b *testing.B) {
			benchWrite(b, vfs.NewOS(b.TempDir()), chunk)
		})
	}
}

// BenchmarkWriteMem measures the store itself, without a disk.
func BenchmarkWriteMem(b *testing.B) { benchWrite(b, vfs.NewMem(), 0) }

func benchWrite(b *testing.B, fsys vfs.FS, chunk int) {
	s, _, err := snapshot.Open(fsys, dir, snapshot.Options{ChunkSize: chunk})
	require.NoError(b, err)
	body := make([]byte, benchSize)
	b.SetBytes(benchSize)
	b.ReportAllocs()
	for slot := uint64(1); b.Loop(); slot++ {
		if _, err := s.Write(newDoc(slot, 1, 0).h, func(w io.Writer) error { return inPieces(w, body) }); err != nil {
			b.Fatal(err)
		}
		if _, err := s.Prune(); err != nil {
			b.Fatal(err)
		}
	}
}

// inPieces writes as package db does.
func inPieces(w io.Writer, body []byte) error {
	for len(body) > 0 {
		n := min(len(body), 64<<10)
		if _, err := w.Write(body[:n]); err != nil {
			return err
		}
		body = body[n:]
	}
	return nil
}

func BenchmarkRaw(b *testing.B) {
	for _, chunk := range []int{64 << 10, 256 << 10, snapshot.DefaultChunkSize} {
		b.Run(fmt.Sprintf("chunk %dk", chunk>>10), func(b *testing.B) {
			fsys, buf := vfs.NewOS(b.TempDir()), make([]byte, chunk)
			b.SetBytes(benchSize)
			for b.Loop() {
				f, err := fsys.Create("raw")
				require.NoError(b, err)
				for off := int64(0); off < benchSize; off += int64(chunk) {
					if _, err := f.WriteAt(buf, off); err != nil {
						b.Fatal(err)
					}
					if err := f.SyncData(); err != nil {
						b.Fatal(err)
					}
				}
				require.NoError(b, f.Close())
				require.NoError(b, fsys.Remove("raw"))
			}
		})
	}
}

// BenchmarkLoad reads a snapshot of 32 MiB, twice each time, as Load does.
func BenchmarkLoad(b *testing.B) {
	s, _, err := snapshot.Open(vfs.NewOS(b.TempDir()), dir, snapshot.Options{})
	require.NoError(b, err)
	d := newDoc(1, 1, benchSize)
	_, err = s.Write(d.h, d.writeTo)
	require.NoError(b, err)
	b.SetBytes(benchSize)
	b.ReportAllocs()
	buf := make([]byte, 64<<10)
	for b.Loop() {
		err := s.Load(d.h, func(r io.Reader) error {
			_, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, r, buf)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkInstall installs a snapshot from one store in another, in memory.
func BenchmarkInstall(b *testing.B) {
	const size = 4 << 20
	from, _, err := snapshot.Open(vfs.NewMem(), dir, snapshot.Options{})
	require.NoError(b, err)
	id, err := from.Write(newDoc(1, 1, 0).h, func(w io.Writer) error { return inPieces(w, bytes.Repeat([]byte{7}, size)) })
	require.NoError(b, err)
	b.SetBytes(size)
	for b.Loop() {
		to, _, err := snapshot.Open(vfs.NewMem(), dir, snapshot.Options{})
		require.NoError(b, err)
		in, err := to.Install(id)
		require.NoError(b, err)
		for in.Offset() < id.Size {
			piece, err := from.ReadChunk(id, in.Offset(), 256<<10)
			if err != nil {
				b.Fatal(err)
			}
			if err := in.Put(id, in.Offset(), piece); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := in.Commit(); err != nil {
			b.Fatal(err)
		}
	}
}
