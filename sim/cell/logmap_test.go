package cell

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/store"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/wal"
	"github.com/chubbycell/chubby/wal/vfs"
)

// shelf is a store on a disk of its own, with what it was told.
type shelf struct {
	mem   *vfs.Mem
	s     *store.Store
	next  paxos.LSN
	mark  paxos.LSN
	votes map[paxos.Slot]paxos.Voted
}

// newShelf writes votes in groups, each synced, and at times a mark.
func newShelf(t *testing.T, d *sim.Draw, segment int64) *shelf {
	h := &shelf{mem: vfs.NewMem(), next: 1, votes: map[paxos.Slot]paxos.Voted{}}
	h.open(t, segment)
	b := paxos.Ballot{Round: 1, Node: 1}
	h.append(t, paxos.Booted{Boot: 1}, paxos.Promised{Ballot: b})
	for range 4 + d.Int(8) {
		var rs []paxos.Record
		for range 1 + d.Int(3) {
			v := paxos.Voted{Slot: paxos.Slot(len(h.votes) + 1), Ballot: b, Value: paxos.Batch(make([]byte, d.Int(200)))}
			h.votes[v.Slot] = v
			rs = append(rs, v)
		}
		h.append(t, rs...)
		if d.Chance(1, 3) {
			require.NoError(t, h.s.Idle())
			h.mark = h.next - 1
		}
	}
	return h
}

func (h *shelf) open(t *testing.T, segment int64) {
	var err error
	h.s, _, _, err = store.Open(h.mem, dataDir, store.Options{SegmentSize: segment, Salt: func() uint64 { return 77 << 50 }})
	require.NoError(t, err)
}

func (h *shelf) append(t *testing.T, rs ...paxos.Record) {
	require.NoError(t, h.s.Append(h.next, rs))
	require.NoError(t, h.s.Sync())
	h.next += paxos.LSN(len(rs))
}

func draws(t *testing.T, entity uint64) *sim.Draw {
	w := sim.New(sim.Config{})
	t.Cleanup(w.Close)
	return w.Draw("test", entity)
}

// The reader of the strikes sees the frames that wal.Dump prints.
func TestFramesAreThoseOfTheLog(t *testing.T) {
	for seed := range uint64(20) {
		d := draws(t, seed)
		h := newShelf(t, d, d.LogUniform(1, 1<<12))
		var out bytes.Buffer
		require.NoError(t, wal.Dump(h.mem, dataDir+"/log", &out))
		var want, got []string
		for line := range strings.Lines(out.String()) {
			var off, lsn int
			if n, _ := fmt.Sscanf(line, "%d #%d", &off, &lsn); n == 2 {
				want = append(want, fmt.Sprint(off, lsn))
			}
		}
		for _, f := range framesOf(h.mem, dataDir+"/log") {
			if f.kind != 0 {
				got = append(got, fmt.Sprint(f.off, f.lsn))
			}
		}
		require.Equal(t, want, got)
		require.Equal(t, int(h.next)-1, len(got))
	}
}

// Whatever a strike does to covered frames is noticed: the store refuses, or
// gives back each vote, or says that it cannot be read. And whatever is not
// covered and torn away was, in some of these logs, a vote that is missed: the
// rule is not idle.
func TestWhatIsCoveredIsNeverForgottenInSilence(t *testing.T) {
	refused, unread, missed, more := 0, 0, 0, 0
	for seed := range uint64(300) {
		d := draws(t, seed)
		h := newShelf(t, d, d.LogUniform(64, 1<<12))
		if d.Chance(1, 2) { // the register is on the disk, and what comes behind it is not yet
			require.NoError(t, h.s.Append(h.next, []paxos.Record{paxos.Promised{Ballot: paxos.Ballot{Round: 2, Node: 1}}}))
		}
		all := framesOf(h.mem, dataDir+"/log")
		known := max(uint64(h.mark), vouched(h.mem))
		if n := len(covered(all, uint64(h.next-1), known)) - len(covered(all, uint64(h.next-1), uint64(h.mark))); n > 0 {
			more++
		}
		s := decayed{d: d, mem: h.mem, hits: covered(all, uint64(h.next-1), known)}
		wild := seed%5 == 4
		if wild {
			s.hits = all[len(all)-1:]
		}
		if len(s.hits) == 0 {
			continue
		}
		if file, off, n := s.run(); d.Chance(1, 2) && len(s.values()) > 0 {
			f := s.values()[d.Int(len(s.values()))]
			s.garbage(f.file, f.data, f.end-f.data)
		} else {
			s.garbage(file, off, n)
		}
		h.mem.Crash(vfs.Seeded(seed))
		_, rec, _, err := store.Open(h.mem, dataDir, store.Options{Salt: func() uint64 { return 1 }})
		if err != nil {
			require.ErrorIs(t, err, wal.ErrDamaged)
			refused++
			continue
		}
		back := map[paxos.Slot]paxos.Record{}
		for _, r := range rec.Records {
			switch r := r.(type) {
			case paxos.Voted:
				back[r.Slot] = r
			case paxos.Unreadable:
				back[r.Slot] = r
				unread++
			}
		}
		for slot, v := range h.votes {
			if back[slot] == nil && wild {
				missed++
				continue
			}
			require.Contains(t, []paxos.Record{v, paxos.Unreadable{Slot: slot, Ballot: v.Ballot}}, back[slot], "seed %d", seed)
		}
	}
	require.Positive(t, refused)
	require.Positive(t, unread)
	require.Positive(t, missed)
	require.Positive(t, more, "for some frames the register alone vouches")
}

// A register vouches for no more than each of its copies does, once both are on the disk.
func TestWhatARegisterVouchesFor(t *testing.T) {
	h := &shelf{mem: vfs.NewMem(), next: 1}
	h.open(t, 1<<12)
	require.Zero(t, vouched(h.mem))
	ballot := func(round uint64) paxos.Promised {
		return paxos.Promised{Ballot: paxos.Ballot{Round: round, Node: 1}}
	}
	h.append(t, paxos.Booted{Boot: 1}, ballot(1))
	require.Zero(t, vouched(h.mem), "the register comes first")
	h.append(t, ballot(2))
	require.EqualValues(t, 2, vouched(h.mem))
	h.append(t, ballot(3))
	require.EqualValues(t, 3, vouched(h.mem))
	must(h.mem.Corrupt(registers[0]+".b", 30, 1))
	require.Zero(t, vouched(h.mem), "if the other one rots, nothing is said")
	h.mem.Crash(vfs.Seeded(1))
	h.open(t, 1<<12)
	require.EqualValues(t, 3, vouched(h.mem), "it was written anew")
	f, err := h.mem.Open(registers[0] + ".a")
	require.NoError(t, err)
	_, err = f.WriteAt([]byte{0}, 0)
	require.NoError(t, err)
	require.Zero(t, vouched(h.mem), "not on the disk yet")
}

// A frame that is moved over the mark in front of it leaves a log that reads on.
func TestWhereALogReadsOn(t *testing.T) {
	log := []frame{
		{file: "a", off: 0, kind: 3}, {file: "a", off: 50}, {file: "a", off: 78}, {file: "a", off: 106, kind: 3}, {file: "a", off: 160, kind: 3},
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
		require.Equal(t, c.on, readsOn(log, c.file, c.at, c.off), name)
	}
}

// The last record of a marked log is rotten, not torn: the mark behind it says so.
func TestTheEndOfAMarkedLogIsNeverForgotten(t *testing.T) {
	for seed := range uint64(100) {
		d := draws(t, seed)
		h := newShelf(t, d, d.LogUniform(64, 1<<12))
		require.NoError(t, h.s.Idle())
		s := decayed{d: d, mem: h.mem, hits: covered(framesOf(h.mem, dataDir+"/log"), uint64(h.next-1), uint64(h.next-1))}
		require.Equal(t, uint64(h.next-1), s.hits[len(s.hits)-1].lsn)
		s.rotEnd()
		h.mem.Crash(vfs.Seeded(seed))
		_, _, _, err := store.Open(h.mem, dataDir, store.Options{Salt: func() uint64 { return 1 }})
		require.ErrorIs(t, err, wal.ErrDamaged, "seed %d", seed)
	}
}
