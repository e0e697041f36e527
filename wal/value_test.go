package wal_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/wal"
	"github.com/chubbycell/chubby/wal/vfs"
)

// segmentStart is the size of a segment's header.
const segmentStart = 36

// forged is the bytes of a log that a client made on its own machine: n frames of
// entries without data, each with the watermark of the one before, and a mark of the
// last.
func forged(t tester, n int, draw func() uint64) string {
	t.Helper()
	m := vfs.NewMem()
	l, _, err := wal.Open(m, dir, wal.Options{SegmentSize: 1 << 20, Salt: draw})
	require.NoError(t, err)
	for i := range n {
		require.NoError(t, l.Append(wal.Entry{LSN: wal.LSN(i + 1), Kind: 1}))
		require.NoError(t, l.Sync())
	}
	require.NoError(t, l.Idle())
	require.NoError(t, l.Close())
	b, err := m.Contents(firstFile)
	require.NoError(t, err)
	return string(b[:segmentStart+28*(n+1)])
}

// A client stores frames of all numbers that may come, and the power cut takes
// the header of the frame that holds them. That entry was not acknowledged, so it is a
// torn tail; unless the client knows the salt, which is why it is a secret.
func TestAValueFullOfFrames(t *testing.T) {
	for _, c := range []struct {
		name           string
		log, forger    func() uint64
		takenForFrames bool
	}{
		{name: "salt drawn", log: salts(1), forger: salts(2)},
		{name: "salt drawn, forged without", log: salts(1), forger: nil},
		{name: "salt drawn, forged high bytes", log: salts(1), forger: func() uint64 { return salts(1)() &^ 1 }},
		{name: "salt drawn, forged low bytes", log: salts(1), forger: func() uint64 { return salts(1)() ^ 1<<63 }},
		{name: "salt guessed", log: salts(1), forger: salts(1), takenForFrames: true},
		{name: "no salt", log: nil, forger: nil, takenForFrames: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, w := vfs.NewMem(), &twin{}
			o := wal.Options{Salt: c.log}
			l := w.open(t, m, o)
			require.NoError(t, w.append(l, 1, 40, 0))
			require.NoError(t, w.sync(l))
			at := places(t, m, firstFile)[0]
			require.NoError(t, l.Append(w.entryOf(forged(t, 200, c.forger))))
			m.Crash(vfs.KeepAll)
			require.NoError(t, m.Corrupt(firstFile, at+inHeader, 4))

			_, r, err := wal.Open(m, dir, o)
			if c.takenForFrames {
				require.ErrorIs(t, err, wal.ErrDamaged)
				require.ErrorContains(t, err, "#2 is unreadable; all up to #200 was durable")
				return
			}
			require.NoError(t, err)
			require.NotNil(t, r.Torn)
			require.Equal(t, at, r.Torn.Offset)
			w.recovered(t, r)
		})
	}
}

// No two segments of a log have a salt in common, and a recovered one keeps its
// own: what it holds is read by it, and so is what comes behind.
func TestEachSegmentDrawsItsSalt(t *testing.T) {
	m, w := vfs.NewMem(), &twin{}
	var drawn []uint64
	o := wal.Options{SegmentSize: 200, Salt: func() uint64 {
		drawn = append(drawn, salts(uint64(len(drawn)))())
		return drawn[len(drawn)-1]
	}}
	l := w.open(t, m, o)
	for range 3 {
		require.NoError(t, w.append(l, 3, 60, 0))
		require.NoError(t, w.sync(l))
		m.Crash(vfs.KeepNothing)
		l = w.open(t, m, o)
	}
	segments := 0
	for _, f := range m.Files() {
		b, err := m.Contents(f.Name)
		require.NoError(t, err)
		if string(b[:min(4, len(b))]) == "CWAL" {
			shown := uint16(b[segmentStart+6]) | uint16(b[segmentStart+7])<<8
			require.Equal(t, uint16(drawn[segments]>>48), shown, f.Name)
			segments++
		}
	}
	require.Greater(t, segments, 3)
	require.Len(t, drawn, segments, "one draw a segment")
}

// A copy of a segment's own frames in a value of it is taken for frames, and is
// right: what the log wrote of what is durable stays true.
func TestAValueMadeOfItsOwnSegment(t *testing.T) {
	m, w := vfs.NewMem(), &twin{}
	o := wal.Options{Salt: salts(1)}
	l := w.open(t, m, o)
	for range 4 {
		require.NoError(t, w.append(l, 2, 0, 0))
		require.NoError(t, w.sync(l))
	}
	require.NoError(t, l.Idle())
	at := places(t, m, firstFile)[0]
	own, err := m.Contents(firstFile)
	require.NoError(t, err)
	require.NoError(t, l.Append(w.entryOf(string(own[:at]))))
	m.Crash(vfs.KeepAll)
	require.NoError(t, m.Corrupt(firstFile, at+inHeader, 4))
	_, r, err := wal.Open(m, dir, o)
	require.NoError(t, err)
	require.NotNil(t, r.Torn)
	w.recovered(t, r)
}
