package wal

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/wal/vfs"
)

// goldenSegment is a segment with two entries and a mark.
func goldenSegment() []byte {
	b := segment{number: 1, first: 1}.appendHeader(nil, pepper)
	b = pepper.appendFrame(b, &Entry{LSN: 1, Kind: 3, Tag: []byte("tag"), Data: "data"}, 0)
	b = pepper.appendFrame(b, &Entry{LSN: 2, Kind: 4}, 1)
	b = pepper.appendFrame(b, &Entry{LSN: 2}, 2)
	return append(b, make([]byte, 40)...)
}

// What parses must be what would be written.
func FuzzFrame(f *testing.F) {
	f.Add(goldenSegment()[segmentHeader:])
	f.Add(pepper.appendFrame(nil, &Entry{LSN: 2, Kind: 4}, 1))
	f.Add(make([]byte, 64))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		h, ok := pepper.parseHeader(b)
		if !ok {
			return
		}
		data, good := h.payload(b)
		if !good {
			return
		}
		again := pepper.appendFrame(nil, &Entry{LSN: h.lsn, Kind: h.kind, Tag: h.tag, Data: string(data)}, h.watermark)
		require.EqualValues(t, h.size(), len(again))
		require.Equal(t, b[:len(again)], again)
	})
}

// No bytes of a last segment make Open panic or invent an entry out of order,
// and what it gives once it gives again.
func FuzzOpen(f *testing.F) {
	whole := goldenSegment()
	f.Add(whole)
	f.Add(whole[:60])
	for i := 0; i < len(whole); i += 7 {
		b := bytes.Clone(whole)
		b[i] ^= 0x40
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m := vfs.NewMem()
		l, _, err := Open(m, "d", Options{SegmentSize: 100})
		require.NoError(t, err)
		require.NoError(t, l.active.Truncate(0))
		_, err = l.active.WriteAt(b, 0)
		require.NoError(t, err)
		require.NoError(t, l.Close())
		_ = Dump(m, "d", io.Discard)
		l, r, err := Open(m, "d", Options{SegmentSize: 100})
		if err != nil {
			return
		}
		require.Len(t, r.Entries, int(r.Next-r.First)-len(r.Damaged))
		for i := 1; i < len(r.Entries); i++ {
			require.Less(t, r.Entries[i-1].LSN, r.Entries[i].LSN)
		}
		require.NoError(t, l.Append(Entry{LSN: r.Next, Kind: 1}))
		require.NoError(t, l.Close())
		_, again, err := Open(m, "d", Options{})
		require.NoError(t, err)
		require.Equal(t, r.Next+1, again.Next)
		require.Equal(t, append([]Entry{}, r.Entries...), append([]Entry{}, again.Entries[:len(r.Entries)]...))
	})
}

func FuzzManifest(f *testing.F) {
	f.Add(manifest{next: 4, segments: []segment{{2, 17}, {3, 23}}}.encode())
	f.Add([]byte{1, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := decodeManifest(b, "f")
		if err == nil {
			again, err := decodeManifest(m.encode(), "f")
			require.NoError(t, err)
			require.Equal(t, m, again)
		}
	})
}

func FuzzRegister(f *testing.F) {
	f.Add(appendRegister(nil, 6, []byte("hi")))
	f.Add([]byte(registerMagic))
	f.Fuzz(func(t *testing.T, b []byte) {
		s := parseRegister(b)
		if s.good && s.format == registerVersion && b[6] == 0 && b[7] == 0 {
			require.Equal(t, b[:registerFixed+len(s.value)+crcSize], appendRegister(nil, s.version, s.value))
		}
	})
}
