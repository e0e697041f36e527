package db_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
)

func stream(t testing.TB, d *db.DB, chunk int) []byte {
	var b bytes.Buffer
	n, err := d.View().WriteChunks(&b, chunk)
	require.NoError(t, err)
	require.EqualValues(t, b.Len(), n)
	return b.Bytes()
}

// The bytes are the format of snapshots on disks and must not change.
func TestTheStreamIsPinned(t *testing.T) {
	d := fill(db.New(), "a", "1", "b", "", "c", "two")
	require.Equal(t, golden, hex.EncodeToString(stream(t, d, 5)))
	require.Equal(t, goldenEmpty, hex.EncodeToString(stream(t, db.New(), 5)))
}

const (
	golden = "6368756262796462" + "0100" + "0000" + "0cdd8f1a" +
		"07000000" + "c573d586" + "01" + "61" + "01" + "31" + "01" + "62" + "00" +
		"06000000" + "eff11032" + "01" + "63" + "03" + "74776f" +
		"00000000" + "8fff6359" + "0300000000000000" + "b48f08aa7b2dc8d8" + "872647a2827add73"
	goldenEmpty = "6368756262796462" + "0100" + "0000" + "0cdd8f1a" +
		"00000000" + "73204bff" + "0000000000000000" + "0000000000000000" + "0000000000000000"
)

func TestWhatWasWrittenIsLoaded(t *testing.T) {
	d := fill(db.New(), "", "empty key", "big", strings.Repeat("x", 3*db.ChunkSize), "none", "")
	for i := range 500 {
		fill(d, key(i), strings.Repeat("v", i))
	}
	for _, chunk := range []int{1, 100, db.ChunkSize} {
		b := append(stream(t, d, chunk), "what follows is not ours"...)
		r := bytes.NewReader(b)
		got, err := db.Load(iotest.HalfReader(r))
		require.NoError(t, err)
		require.Equal(t, 24, r.Len(), "Load read past the end of its stream")
		require.Equal(t, d.Checksum(), got.Checksum())
		require.Equal(t, d.Bytes(), got.Bytes())
		require.Equal(t, flat(d.Ascend("", "")), flat(got.Ascend("", "")))
		fill(got, "and", "goes on")
		require.Equal(t, d.Len()+1, got.Len())
	}
}

// Every bit of the stream is covered: a flip of any bit is detected.
func TestEveryTurnedBitIsNoticedNearWhereItIs(t *testing.T) {
	d := fill(db.New(), "a", "1", "b", "", "c", "two")
	good := stream(t, d, 5)
	for i := range good {
		for bit := range 8 {
			b := bytes.Clone(good)
			b[i] ^= 1 << bit
			_, err := db.Load(bytes.NewReader(b))
			var f *db.FormatError
			require.ErrorAs(t, err, &f, "byte %d bit %d", i, bit)
			require.LessOrEqual(t, f.Offset, int64(len(b)))
		}
	}
}

func TestEveryEarlyEndIsNoticed(t *testing.T) {
	good := stream(t, fill(db.New(), "a", "1", "b", "", "c", "two"), 5)
	for n := range good {
		_, err := db.Load(bytes.NewReader(good[:n]))
		var f *db.FormatError
		require.ErrorAs(t, err, &f)
		require.EqualValues(t, n, f.Offset)
	}
}

func TestALostOrMovedChunkIsNoticedWhereItWas(t *testing.T) {
	good := stream(t, fill(db.New(), "a", "1", "b", "2", "c", "3"), 1)
	const head, chunk = 16, 12
	first, second := good[head:head+chunk], good[head+chunk:head+2*chunk]
	lost := append(bytes.Clone(good[:head]), good[head+chunk:]...)
	swapped := bytes.Clone(good)
	copy(swapped[head:], second)
	copy(swapped[head+chunk:], first)
	doubled := append(bytes.Clone(good[:head+chunk]), good[head:]...)
	for _, c := range []struct {
		b  []byte
		at int64
	}{{lost, head}, {swapped, head}, {doubled, head + chunk}} {
		_, err := db.Load(bytes.NewReader(c.b))
		var f *db.FormatError
		require.ErrorAs(t, err, &f)
		require.Equal(t, c.at, f.Offset)
	}
}

// craft builds malformed streams with correct checksums.
type craft struct {
	b   []byte
	crc uint32
}

var table = crc32.MakeTable(crc32.Castagnoli)

func newCraft() *craft {
	b := append([]byte("chubbydb"), 1, 0, 0, 0)
	c := &craft{crc: crc32.Checksum(b, table)}
	c.b = binary.LittleEndian.AppendUint32(b, c.crc)
	return c
}

func (c *craft) part(length uint32, body string) *craft {
	l := binary.LittleEndian.AppendUint32(nil, length)
	c.crc = crc32.Update(crc32.Update(c.crc, table, l), table, []byte(body))
	c.b = append(binary.LittleEndian.AppendUint32(append(c.b, l...), c.crc), body...)
	return c
}

func (c *craft) rows(body string) *craft { return c.part(uint32(len(body)), body) }

func TestBadContentsBehindGoodChecksums(t *testing.T) {
	over := string(binary.AppendUvarint(nil, 1<<40))
	big := string(binary.AppendUvarint(nil, db.MaxRow)) + strings.Repeat("k", db.MaxRow) + "\x01v"
	for _, c := range []struct {
		name, reason string
		at           int64
		b            []byte
	}{
		{"keys that do not ascend", `key "a" follows "b"`, 28, newCraft().rows("\x01b\x011\x01a\x011").b},
		{"a key twice", `key "a" follows "a"`, 28, newCraft().rows("\x01a\x011\x01a\x011").b},
		{"a key twice, over chunks", `follows`, 36, newCraft().rows("\x01a\x011").rows("\x01a\x011").b},
		{"the empty key twice", `follows`, 26, newCraft().rows("\x00\x00\x00\x00").b},
		{"a key past its chunk", "key extends past", 24, newCraft().rows("\x09a\x011").b},
		{"a huge key", "key extends past", 24, newCraft().rows(over + "a\x011").b},
		{"a value past its chunk", "value extends past", 24, newCraft().rows("\x01a\x091").b},
		{"a row cut after its key", "value extends past", 24, newCraft().rows("\x01a").b},
		{"a huge row", "row of 4194304+1 bytes", 24, newCraft().rows(big).b},
		{"a huge chunk", "chunk of", 16, newCraft().part(1<<31, "").b},
		{"a wrong count", "0 rows", 16, newCraft().part(0, strings.Repeat("\x01", 24)).b},
		{"a wrong sum", "1 rows", 28, newCraft().rows("\x01a\x011").part(0, "\x01"+strings.Repeat("\x00", 23)).b},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := db.Load(bytes.NewReader(c.b))
			var f *db.FormatError
			require.ErrorAs(t, err, &f)
			require.Contains(t, f.Reason, c.reason)
			if !strings.HasSuffix(c.name, "twice") && c.name != "keys that do not ascend" {
				require.Equal(t, c.at, f.Offset)
			} else {
				require.Greater(t, f.Offset, int64(24))
			}
		})
	}
}

func TestOtherStreamsAreRefusedForWhatTheyAre(t *testing.T) {
	_, err := db.Load(strings.NewReader("this is not a stream of rows at all"))
	require.EqualError(t, err, "db: bad stream at offset 0: not a stream of rows")
	b := stream(t, db.New(), 1)
	b[8] = 2
	_, err = db.Load(bytes.NewReader(b))
	require.EqualError(t, err, "db: bad stream at offset 8: version 2, this program reads version 1")
}

func TestErrorsOfReaderAndWriterComeUpward(t *testing.T) {
	broken := errors.New("cable")
	b := stream(t, fill(db.New(), "a", "1"), 1)
	_, err := db.Load(io.MultiReader(bytes.NewReader(b[:20]), iotest.ErrReader(broken)))
	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, "offset 20")
	for limit := range len(b) {
		n, err := fill(db.New(), "a", "1").View().WriteTo(&full{limit, broken})
		require.ErrorIs(t, err, broken)
		require.EqualValues(t, limit, n)
	}
}

// full is a disk with room for so many bytes.
type full struct {
	room int
	err  error
}

func (f *full) Write(b []byte) (int, error) {
	n := min(len(b), f.room)
	f.room -= n
	if n < len(b) {
		return n, f.err
	}
	return n, nil
}
