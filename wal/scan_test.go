package wal

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// pepper is the salt of these tests.
var pepper = newSalt(0x0123456789abcdef)

// framesOf builds a segment from #1 with the given (number, watermark) pairs.
func framesOf(pairs ...[2]LSN) []byte {
	b := segment{number: 1, first: 1}.appendHeader(nil, pepper)
	for _, p := range pairs {
		b = pepper.appendFrame(b, &Entry{LSN: p[0], Kind: 1, Data: "data"}, p[1])
	}
	return b
}

func TestAChainGoesOnByNumberAndWatermark(t *testing.T) {
	for name, c := range map[string]struct {
		pairs [][2]LSN
		next  LSN
	}{
		"as written":          {[][2]LSN{{1, 0}, {2, 0}, {3, 2}}, 4},
		"a gap":               {[][2]LSN{{1, 0}, {3, 0}}, 2},
		"a repetition":        {[][2]LSN{{1, 0}, {1, 0}}, 2},
		"not the first":       {[][2]LSN{{2, 0}}, 1},
		"a watermark falls":   {[][2]LSN{{1, 0}, {2, 1}, {3, 0}}, 3},
		"a watermark of less": {[][2]LSN{{1, 0}, {2, 1}, {3, 1}}, 4},
	} {
		got := scan(framesOf(c.pairs...), 1, pepper, nil)
		require.Equal(t, c.next, got.next, name)
		require.Len(t, got.frames, int(c.next-1), name)
	}
}

func TestAFrameMustMakeSense(t *testing.T) {
	good := pepper.appendFrame(nil, &Entry{LSN: 2, Kind: 1, Data: "data"}, 1)
	_, ok := pepper.parseHeader(good)
	require.True(t, ok)
	for name, b := range map[string][]byte{
		"its own watermark":    pepper.appendFrame(nil, &Entry{LSN: 2, Kind: 1}, 2),
		"number 0":             pepper.appendFrame(nil, &Entry{LSN: 0, Kind: 1}, 0),
		"a mark of the future": pepper.appendFrame(nil, &Entry{LSN: 2}, 3),
		"a mark with data":     pepper.appendFrame(nil, &Entry{LSN: 2, Data: "x"}, 1),
		"a mark of nothing":    pepper.appendFrame(nil, &Entry{}, 0),
		"data cut off":         good[:len(good)-1],
		"header cut off":       good[:frameMin-1],
		"zeros":                make([]byte, 100),
		"a tag too long":       pepper.appendFrame(nil, &Entry{LSN: 2, Kind: 1, Tag: make([]byte, MaxTag+1)}, 1),
	} {
		_, ok := pepper.parseHeader(b)
		require.False(t, ok, name)
	}
}

// Frames are found at any byte behind a broken place, and only those that can
// come later in this log count.
func TestLaterWatermark(t *testing.T) {
	frame := func(lsn, watermark LSN) []byte {
		return pepper.appendFrame(nil, &Entry{LSN: lsn, Kind: 1, Data: "\x00\x00\x00\x00"}, watermark)
	}
	mark := pepper.appendFrame(nil, &Entry{LSN: 4}, 4)
	junk, zeros := bytes.Repeat([]byte{0xd1}, 101), make([]byte, 9000)
	for name, c := range map[string]struct {
		tail []byte
		want LSN
	}{
		"nothing":            {nil, 0},
		"zeros":              {zeros, 0},
		"junk":               {junk, 0},
		"a later frame":      {slices.Concat(junk, frame(7, 5)), 5},
		"the highest":        {slices.Concat(junk, frame(6, 5), junk, frame(7, 6)), 6},
		"an older one":       {slices.Concat(junk, frame(3, 2)), 0},
		"one from far away":  {slices.Concat(junk, frame(1000, 999)), 0},
		"between many zeros": {slices.Concat(zeros, frame(7, 5), zeros), 5},
		"of another segment": {slices.Concat(junk, newSalt(pepper.bits+1).appendFrame(nil, &Entry{LSN: 7, Kind: 1}, 5)), 0},
		"of no segment":      {slices.Concat(junk, salt{}.appendFrame(nil, &Entry{LSN: 7, Kind: 1}, 5)), 0},
		"cut off":            {slices.Concat(junk, frame(7, 5)[:frameMin+2]), 0},
		"a mark at the end":  {slices.Concat(junk, mark), 4},
	} {
		require.Equal(t, c.want, (&chain{next: 5, salt: pepper}).laterWatermark(c.tail), name)
	}
}
