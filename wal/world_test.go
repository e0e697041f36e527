package wal_test

import (
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/wal"
	"github.com/chubbycell/chubby/wal/vfs"
)

const dir = "node/log"

// tester is what both *testing.T and *rapid.T are.
type tester interface {
	require.TestingT
	Helper()
	Fatalf(string, ...any)
}

// twin is the log's dumb double: a list that remembers what was appended and how
// much of it was acknowledged as durable.
type twin struct {
	first   wal.LSN     // nothing at or above was ever allowed to be dropped below
	entries []wal.Entry // from #1 on, all ever appended that may still be there
	acked   int         // entries[:acked] are durable
}

func (w *twin) next() wal.LSN { return wal.LSN(len(w.entries) + 1) }

// salts draws salts that a test can guess by the same seed only.
func salts(seed uint64) func() uint64 {
	return func() uint64 {
		seed += 0x9e3779b97f4a7c15
		z := (seed ^ seed>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
}

// entry is the next entry, with contents that follow from number and salt.
func (w *twin) entry(size int, salt uint64) wal.Entry {
	lsn := w.next()
	data := strings.Repeat(fmt.Sprintf("<%d.%d>", lsn, salt), size/4+1)[:size]
	return w.entryOf(data)
}

// entryOf is the next entry, of that data.
func (w *twin) entryOf(data string) wal.Entry {
	lsn := w.next()
	e := wal.Entry{LSN: lsn, Kind: uint8(1 + lsn%3), Tag: fmt.Appendf(nil, "t%d", lsn), Data: data}
	w.entries = append(w.entries, e)
	return e
}

// recovered checks what an Open after a crash gave: a prefix of what was
// appended, all that was acknowledged, and nothing dropped that was not allowed.
// From then on the prefix is all there is, and durable.
func (w *twin) recovered(t tester, r wal.Recovery) {
	t.Helper()
	require.Empty(t, r.Damaged)
	require.GreaterOrEqual(t, int(r.Next-1), w.acked, "acknowledged entries are gone")
	require.LessOrEqual(t, r.Next, w.next())
	require.LessOrEqual(t, r.First, max(w.first, 1), "more was dropped than allowed")
	w.entries = w.entries[:r.Next-1]
	w.acked = len(w.entries)
	want := w.entries[r.First-1:]
	require.Len(t, r.Entries, len(want))
	for i := range want {
		if !same(want[i], r.Entries[i]) {
			t.Fatalf("entry %d: got %+v, want %+v", i, r.Entries[i], want[i])
		}
	}
}

func same(a, b wal.Entry) bool {
	return a.LSN == b.LSN && a.Kind == b.Kind && string(a.Tag) == string(b.Tag) && a.Data == b.Data
}

// open opens the log and checks it against the twin.
func (w *twin) open(t tester, m *vfs.Mem, o wal.Options) *wal.Log {
	t.Helper()
	l, r, err := wal.Open(m, dir, o)
	require.NoError(t, err)
	w.recovered(t, r)
	require.Equal(t, w.next(), l.Next())
	require.Equal(t, w.next()-1, l.Synced())
	return l
}

// append appends n entries of a size.
func (w *twin) append(l *wal.Log, n, size int, salt uint64) error {
	var es []wal.Entry
	for range n {
		es = append(es, w.entry(size, salt))
	}
	return l.Append(es...)
}

func (w *twin) sync(l *wal.Log) error {
	if err := l.Sync(); err != nil {
		return err
	}
	w.acked = len(w.entries)
	return nil
}

func (w *twin) drop(l *wal.Log, lsn wal.LSN) error {
	w.first = max(w.first, lsn)
	return l.DropBefore(lsn)
}
