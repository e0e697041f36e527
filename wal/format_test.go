package wal

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/wal/vfs"
)

// unhex reads hex digits with spaces and line breaks between fields.
func unhex(s string) []byte {
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		panic(err)
	}
	return b
}

// The layouts of doc.go, byte by byte. A log written today is read for ever:
// these may get company, by a new format version, but never change.

func TestFrameBytes(t *testing.T) {
	golden := unhex(`03000000 07 02 2301 0500000000000000 0400000000000000 aabb 60452209 646e61 0261e97a`)
	e := Entry{LSN: 5, Kind: 7, Tag: []byte{0xaa, 0xbb}, Data: "dna"}
	require.Equal(t, hex.EncodeToString(golden), hex.EncodeToString(pepper.appendFrame(nil, &e, 4)))
	require.EqualValues(t, len(golden), frameSize(&e))
	h, ok := pepper.parseHeader(golden)
	require.True(t, ok)
	require.Equal(t, header{kind: 7, lsn: 5, watermark: 4, tag: e.Tag, data: 3, crc: 0x09224560}, h)
	data, good := h.payload(golden)
	require.True(t, good)
	require.Equal(t, "dna", string(data))
}

func TestFrameWithoutDataBytes(t *testing.T) {
	golden := unhex(`00000000 01 00 2301 0100000000000000 0000000000000000 b27d0eda`)
	require.Equal(t, hex.EncodeToString(golden), hex.EncodeToString(pepper.appendFrame(nil, &Entry{LSN: 1, Kind: 1}, 0)))
}

func TestMarkBytes(t *testing.T) {
	golden := unhex(`00000000 00 00 2301 0900000000000000 0900000000000000 d5dcaf6f`)
	require.Equal(t, hex.EncodeToString(golden), hex.EncodeToString(pepper.appendFrame(nil, &Entry{LSN: 9}, 9)))
}

func TestSegmentHeaderBytes(t *testing.T) {
	golden := unhex(`4357414c 0200 0000 0300000000000000 1100000000000000 efcdab8967452301 182eac9a`)
	s := segment{number: 3, first: 17}
	require.Equal(t, hex.EncodeToString(golden), hex.EncodeToString(s.appendHeader(nil, pepper)))
	got, its, err := parseSegment(golden, "f")
	require.NoError(t, err)
	require.Equal(t, s, got)
	require.Equal(t, pepper, its)
	require.Equal(t, "0000000000000003.wal", s.name())
}

func TestRegisterBytes(t *testing.T) {
	golden := unhex(`43524547 0100 0000 0600000000000000 02000000 6869 a640c5d9`)
	require.Equal(t, hex.EncodeToString(golden), hex.EncodeToString(appendRegister(nil, 6, []byte("hi"))))
	got := parseRegister(append(golden, "rest of a longer one"...))
	require.Equal(t, registerState{good: true, format: 1, version: 6, value: []byte("hi")}, got)
}

func TestManifestBytes(t *testing.T) {
	golden := unhex(`0100 0000 0400000000000000 02000000
		0200000000000000 1100000000000000 0300000000000000 1700000000000000`)
	m := manifest{next: 4, segments: []segment{{2, 17}, {3, 23}}}
	require.Equal(t, hex.EncodeToString(golden), hex.EncodeToString(m.encode()))
	got, err := decodeManifest(golden, "f")
	require.NoError(t, err)
	require.Equal(t, m, got)
}

func TestOtherVersionsAreRefused(t *testing.T) {
	seg := segment{number: 3, first: 17}.appendHeader(nil, pepper)
	seg[4] = 1
	_, _, err := parseSegment(seg, "the/file")
	require.ErrorIs(t, err, ErrVersion)
	require.EqualError(t, err, "wal: the/file: unknown format version 1; this program knows 2")

	m := manifest{next: 1}.encode()
	m[0] = 9
	_, err = decodeManifest(m, "the/file")
	require.ErrorIs(t, err, ErrVersion)

	for _, resum := range []bool{true, false} { // with our checksum, and with one of another kind
		mem := vfs.NewMem()
		r, _, err := OpenRegister(mem, ".", "r")
		require.NoError(t, err)
		require.NoError(t, r.Write([]byte("x")))
		for _, c := range r.copies {
			image := appendRegister(nil, 1, []byte("x"))
			image[4] = 3
			if resum {
				image = image[:len(image)-crcSize]
				crc := checksum(image)
				image = append(image, byte(crc), byte(crc>>8), byte(crc>>16), byte(crc>>24))
			}
			_, err := c.file.WriteAt(image, 0)
			require.NoError(t, err)
		}
		_, _, err = OpenRegister(mem, ".", "r")
		require.ErrorIs(t, err, ErrVersion)
	}
}

func TestManifestsThatMakeNoSenseAreDamaged(t *testing.T) {
	for name, m := range map[string]manifest{
		"first number 0":       {next: 2, segments: []segment{{1, 0}}},
		"number of the future": {next: 2, segments: []segment{{2, 1}}},
		"numbers fall":         {next: 9, segments: []segment{{3, 1}, {2, 5}}},
		"entries fall":         {next: 9, segments: []segment{{2, 5}, {3, 1}}},
	} {
		_, err := decodeManifest(m.encode(), "f")
		require.ErrorIs(t, err, ErrDamaged, name)
	}
	_, err := decodeManifest(manifest{next: 3, segments: []segment{{1, 1}}}.encode()[:20], "f")
	require.ErrorIs(t, err, ErrDamaged)
	_, err = decodeManifest(nil, "f")
	require.ErrorIs(t, err, ErrDamaged)
}

func TestSegmentNames(t *testing.T) {
	for _, n := range []uint64{0, 1, 0xabc, 1<<64 - 1} {
		got, ok := parseName(segment{number: n}.name())
		require.True(t, ok)
		require.Equal(t, n, got)
	}
	for _, name := range []string{"", "LOCK", "1.wal", "000000000000000g.wal", "0000000000000001.wal~", "000000000000000A.wal", "+00000000000001a.wal"} {
		_, ok := parseName(name)
		require.False(t, ok, name)
	}
}
