package ondisk_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/sim/ondisk"
	"github.com/chubbycell/chubby/wal"
	"github.com/chubbycell/chubby/wal/vfs"
)

// filledStore is a store on a disk of its own, with votes of several sizes in it.
type filledStore struct {
	mem  *vfs.Mem
	s    *store.Store
	next paxos.LSN
}

func newFilledStore(t *testing.T, segment int64) *filledStore {
	h := &filledStore{mem: vfs.NewMem(), next: 1}
	var err error
	h.s, _, _, err = store.Open(h.mem, "cell", store.Options{SegmentSize: segment, Salt: func() uint64 { return 77 << 50 }})
	require.NoError(t, err)
	b := paxos.Ballot{Round: 3, Node: 2}
	h.append(t, paxos.Booted{Boot: 5, Grant: time.Minute}, paxos.Promised{Ballot: b})
	for i := range 12 {
		h.append(t, paxos.Voted{Slot: paxos.Slot(i + 1), Ballot: b, Value: paxos.Batch(make([]byte, 40*i))})
		if i%4 == 3 {
			require.NoError(t, h.s.Idle())
		}
	}
	return h
}

func (h *filledStore) append(t *testing.T, rs ...paxos.Record) {
	require.NoError(t, h.s.Append(h.next, rs))
	require.NoError(t, h.s.Sync())
	h.next += paxos.LSN(len(rs))
}

var segments = []int64{1, 64, 300, 1 << 12}

// Frames finds the same frames as the log's own dump.
func TestFramesAreThoseOfTheLog(t *testing.T) {
	for _, segment := range segments {
		h := newFilledStore(t, segment)
		var out bytes.Buffer
		require.NoError(t, wal.Dump(h.mem, "cell/log", &out))
		var want, got []string
		for line := range strings.Lines(out.String()) {
			var off, lsn int
			if n, _ := fmt.Sscanf(line, "%d #%d", &off, &lsn); n == 2 {
				want = append(want, fmt.Sprint(off, lsn))
			}
		}
		votes := paxos.Slot(0)
		for _, f := range ondisk.Frames(h.mem, "cell/log") {
			if f.Kind == 0 {
				continue
			}
			got = append(got, fmt.Sprint(f.Off, f.LSN))
			if f.HasData() {
				votes++
				require.Equal(t, votes, f.Slot)
			}
		}
		require.Equal(t, want, got, "segments of %d bytes", segment)
		require.Len(t, got, int(h.next)-1)
		require.EqualValues(t, 12, votes)
	}
}

// A marked log states that all is synced; an unmarked one states less.
func TestWhatALogStates(t *testing.T) {
	for _, segment := range segments {
		h, tail := newFilledStore(t, segment), ondisk.Tail{}
		require.EqualValues(t, h.next-1, ondisk.Watermark(h.mem, "cell/log"))
		for range 20 {
			require.EqualValues(t, h.next-1, tail.Watermark(h.mem, "cell/log"))
			h.append(t, paxos.Promised{Ballot: paxos.Ballot{Round: uint64(h.next), Node: 2}})
			require.EqualValues(t, h.next-2, ondisk.Watermark(h.mem, "cell/log"))
			require.EqualValues(t, h.next-2, tail.Watermark(h.mem, "cell/log"))
			require.NoError(t, h.s.Idle())
		}
	}
	require.Zero(t, ondisk.Watermark(vfs.NewMem(), "cell/log"))
}

// Covered returns what a durable frame vouches for, without that frame.
func TestCoveredFrames(t *testing.T) {
	entry := func(lsn, watermark uint64) ondisk.Frame {
		return ondisk.Frame{Kind: 3, LSN: lsn, Watermark: watermark}
	}
	mark := func(lsn, watermark uint64) ondisk.Frame { return ondisk.Frame{LSN: lsn, Watermark: watermark} }
	log := []ondisk.Frame{entry(1, 0), entry(2, 1), mark(2, 2), entry(3, 2), entry(4, 3)}
	for name, c := range map[string]struct {
		durable, marked uint64
		want            []ondisk.Frame
	}{
		"nothing is durable":        {0, 0, nil},
		"one vouches for the first": {2, 0, log[:1]},
		"all is durable":            {4, 0, []ondisk.Frame{log[0], log[1], log[2], log[3]}},
		"the mark is known":         {2, 2, log[:2]},
		"more is known elsewhere":   {2, 4, log},
	} {
		t.Run(name, func(t *testing.T) {
			require.ElementsMatch(t, c.want, ondisk.Covered(log, c.durable, c.marked))
		})
	}
}

// A frame that is moved over the marks in front of it leaves a log that can be read on.
func TestWhereALogReadsOn(t *testing.T) {
	log := []ondisk.Frame{
		{File: "a", Off: 0, Kind: 3}, {File: "a", Off: 50}, {File: "a", Off: 78}, {File: "a", Off: 106, Kind: 3}, {File: "a", Off: 160, Kind: 3},
	}
	for name, c := range map[string]struct {
		file    string
		at, off int64
		on      bool
	}{
		"over the mark in front":    {"a", 78, 106, true},
		"over the first of two":     {"a", 50, 106, true},
		"over the entry in front":   {"a", 106, 160, false},
		"over an entry and marks":   {"a", 0, 106, false},
		"to a place behind":         {"a", 160, 106, false},
		"to where it stands":        {"a", 106, 106, false},
		"entries of other segments": {"b", 78, 106, true},
	} {
		require.Equal(t, c.on, ondisk.CanReadOn(log, c.file, c.at, c.off), name)
	}
}
