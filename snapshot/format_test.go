package snapshot

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"io"
	"path"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/wal/vfs"
)

var goldenHandle = Handle{Slot: 5, Ballot: Ballot{Round: 3, Node: 2}, Members: []NodeID{1, 2, 9}, Epoch: 7}

// The bytes are a format that other versions of the program read. They must not change.
const (
	goldenHeader = "43534e50" + "0100" + "0000" + "04000000" + "03000000" + "0500000000000000" +
		"0300000000000000" + "0700000000000000" + "02000000" + "010000000200000009000000" + "6a1da233"
	goldenChunks = "0100000000000000" + "04000000" + "61626364" + "f81f183f" +
		"0200000000000000" + "04000000" + "65666768" + "ee44d5ca" +
		"0300000000000000" + "01000000" + "69" + "82d849fb"
	goldenEnd = "0400000000000000" + "00000000" + "0900000000000000" + "9aef9d0bc71980f6" + "1f680491"
)

// image is the file of a snapshot as the store writes it.
func image(t testing.TB, h Handle, chunk int, body string) []byte {
	m := vfs.NewMem()
	s, _, err := Open(m, "d", Options{ChunkSize: chunk})
	require.NoError(t, err)
	id, err := s.Write(h, func(w io.Writer) error { _, err := io.WriteString(w, body); return err })
	require.NoError(t, err)
	b, err := m.Contents(s.path(h.Slot))
	require.NoError(t, err)
	require.EqualValues(t, len(b), id.Size)
	return b
}

func golden(t testing.TB) []byte { return image(t, goldenHandle, 4, "abcdefghi") }

func TestTheFileIsPinned(t *testing.T) {
	require.Equal(t, goldenHeader+goldenChunks+goldenEnd, hex.EncodeToString(golden(t)))
}

func TestAFullLastChunkAndAnEmptyBody(t *testing.T) {
	require.Len(t, image(t, goldenHandle, 4, "abcdefgh"), 60+2*20+32)
	require.Len(t, image(t, goldenHandle, 4, ""), 60+32)
}

// open opens a directory that holds these bytes under a name.
func open(t testing.TB, name string, b []byte) (*Store, Report) {
	m := vfs.NewMem()
	require.NoError(t, m.MkdirAll("d"))
	f, err := m.Create(path.Join("d", name))
	require.NoError(t, err)
	_, err = f.WriteAt(b, 0)
	require.NoError(t, err)
	s, r, err := Open(m, "d", Options{})
	require.NoError(t, err)
	return s, r
}

// forge changes bytes and corrects the piece's own checksum.
func forge(b []byte, from, to int, crc uint32, change func(piece []byte)) []byte {
	b = bytes.Clone(b)
	change(b[from:to])
	binary.LittleEndian.PutUint32(b[to-crcSize:], crc32.Update(crc, castagnoli(), b[from:to-crcSize]))
	return b
}

// withLength gives the golden file another length and all checksums that follow.
func withLength(good []byte, crc uint32, length uint64) []byte {
	hash := xxhash.New()
	_, _ = hash.Write(good[:117])
	b, _ := layout{crc: crc}.appendEnd(bytes.Clone(good[:117]), 4, length, hash)
	return b
}

// A replica with such a file cannot help by sending its end again.
func TestAnEndThatIsNotOfWhatStandsBeforeItIsFinal(t *testing.T) {
	good := golden(t)
	_, r := open(t, fileName(5), good)
	m := vfs.NewMem()
	s, _, err := Open(m, "d", Options{})
	require.NoError(t, err)
	in, err := s.Install(r.Good[0])
	require.NoError(t, err)
	bad := withLength(good, binary.LittleEndian.Uint32(good[56:]), 8)
	require.ErrorIs(t, in.Put(r.Good[0], 0, bad), ErrDamaged)
	require.ErrorIs(t, in.Put(r.Good[0], in.Offset(), good[in.Offset():]), ErrDamaged)
	_, err = in.Commit()
	require.ErrorIs(t, err, ErrDamaged)
	require.Len(t, m.Files(), 1, "the lock")
}

// Bad values are detected even with a correct checksum.
func TestNonsenseBehindGoodChecksums(t *testing.T) {
	good := golden(t)
	crc := binary.LittleEndian.Uint32(good[56:])
	put32 := func(off int, v uint32) func([]byte) {
		return func(b []byte) { binary.LittleEndian.PutUint32(b[off:], v) }
	}
	moved := bytes.Clone(good)
	copy(moved[60:80], good[80:100])
	copy(moved[80:100], good[60:80])
	other := golden(t)
	foreign := image(t, Handle{Slot: 5, Members: []NodeID{1}}, 4, "ABCDEFGHI")
	copy(other[60:80], foreign[52:72])
	for _, c := range []struct {
		name, why string
		at        int64
		b         []byte
	}{
		{"reserved bytes", "header with chunks of 4", 0, forge(good, 0, 60, 0, func(b []byte) { b[6] = 1 })},
		{"no chunk size", "chunks of 0", 0, forge(good, 0, 60, 0, put32(8, 0))},
		{"a huge chunk size", "chunks of 4294967295", 0, forge(good, 0, 60, 0, put32(8, 1<<32-1))},
		{"many members", "more than 1024 members", 0, forge(good, 0, 60, 0, put32(12, 1<<31))},
		{"no slot", "slot 0", 0, forge(good, 0, 60, 0, put32(16, 0))},
		{"members out of order", "member 2 follows 2", 0, forge(good, 0, 60, 0, put32(44, 2))},
		{"a huge chunk", "a chunk of 5 bytes", 60, forge(good, 60, 80, crc, put32(8, 5))},
		{"chunks moved", "chunk 2 in place of chunk 1", 60, moved},
		{"a chunk of another snapshot", "checksum of chunk 1", 60, other},
		{"a chunk's number", "chunk 7 in place of chunk 2", 80, forge(good, 80, 100, crc, put32(0, 7))},
		{"the count", "chunk 5 in place of chunk 4", 117, forge(good, 117, 149, crc, put32(0, 5))},
		{"the length", "the end states 8 bytes", 117, forge(good, 117, 149, crc, put32(12, 8))},
		{"the sum", "the end states 9 bytes and sum 0", 117, forge(good, 117, 149, crc, func(b []byte) { clear(b[20:28]) })},
		{"the length, under a sum that fits", "the end states 8 bytes", 117, withLength(good, crc, 8)},
		{"a lost chunk", "chunk 3 in place of chunk 2", 80, append(bytes.Clone(good[:80]), good[100:]...)},
		{"bytes after the end", "1 bytes after the end", 149, append(bytes.Clone(good), 0)},
		{"another file", "not a snapshot", 0, []byte("something else, and long enough")},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, r := open(t, fileName(5), c.b)
			require.Empty(t, r.Good)
			require.Len(t, r.Bad, 1)
			var d *DamageError
			require.ErrorAs(t, r.Bad[0].Err, &d)
			require.Contains(t, d.Why, c.why)
			require.Equal(t, c.at, d.Offset)
			require.Equal(t, "d/"+fileName(5), d.File)
		})
	}
}

// A writer never writes a chunk that is not full before another chunk, because the offsets of
// chunks could not be computed.
func TestAShortChunkInTheMiddle(t *testing.T) {
	head, l := appendHeader(nil, goldenHandle, 4)
	for n, data := range []string{"ab", "cdef"} {
		head = append(head, l.sealChunk(append(make([]byte, frameHead), data...), uint64(n+1))...)
	}
	_, r := open(t, fileName(5), head)
	require.ErrorContains(t, r.Bad[0].Err, "offset 78: chunk 2 follows a chunk that is not full")
}

func TestOtherVersionsAreRefusedForWhatTheyAre(t *testing.T) {
	b := golden(t)
	b[4] = 2
	_, r := open(t, fileName(5), b)
	require.ErrorIs(t, r.Bad[0].Err, ErrVersion)
	require.EqualError(t, r.Bad[0].Err, "snapshot: d/00000000000000000005.snap: offset 4: unknown format version 2, this program reads 1")
}

func TestNames(t *testing.T) {
	slot, ok := parseName("00000000000000000042.snap")
	require.True(t, ok)
	require.EqualValues(t, 42, slot)
	for _, name := range []string{"42.snap", "00000000000000000000.snap", "+0000000000000000042.snap",
		"99999999999999999999.snap", "00000000000000000042.snap.old", "00000000000000000042"} {
		_, ok := parseName(name)
		require.False(t, ok, name)
	}
}
