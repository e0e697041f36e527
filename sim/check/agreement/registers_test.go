package agreement

import (
	"encoding/binary"
	"hash/crc32"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/damage"
	"github.com/chubbycell/chubby/sim/ondisk"
	"github.com/chubbycell/chubby/wal"
	"github.com/chubbycell/chubby/wal/vfs"
)

// filledStore is a store on a disk of its own, and what it was told.
type filledStore struct {
	mem   *vfs.Mem
	s     *store.Store
	next  paxos.LSN
	mark  paxos.LSN
	votes map[paxos.Slot]paxos.Voted
}

// newFilledStore writes votes in groups, each synced, and at times a mark.
func newFilledStore(t *testing.T, d *sim.Draw, segment int64) *filledStore {
	h := &filledStore{mem: vfs.NewMem(), next: 1, votes: map[paxos.Slot]paxos.Voted{}}
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

func (h *filledStore) open(t *testing.T, segment int64) {
	var err error
	h.s, _, _, err = store.Open(h.mem, damage.DataDir, store.Options{SegmentSize: segment, Salt: func() uint64 { return 77 << 50 }})
	require.NoError(t, err)
}

func (h *filledStore) append(t *testing.T, rs ...paxos.Record) {
	require.NoError(t, h.s.Append(h.next, rs))
	require.NoError(t, h.s.Sync())
	h.next += paxos.LSN(len(rs))
}

func draws(t *testing.T, entity uint64) *sim.Draw {
	w := sim.New(sim.Config{})
	t.Cleanup(w.Close)
	return w.Draw("test", entity)
}

// Damage to covered frames is always noticed: the store refuses to open, gives back each
// vote, or says that it cannot be read. In some of these logs, cutting away what is not
// covered loses a vote without notice, so the rule is needed.
func TestDamageToCoveredFramesIsNoticed(t *testing.T) {
	refused, unread, missed, more := 0, 0, 0, 0
	for seed := range uint64(300) {
		d := draws(t, seed)
		h := newFilledStore(t, d, d.LogUniform(64, 1<<12))
		if d.Chance(1, 2) { // the register is on the disk, but not yet the records that follow
			require.NoError(t, h.s.Append(h.next, []paxos.Record{paxos.Promised{Ballot: paxos.Ballot{Round: 2, Node: 1}}}))
		}
		all := ondisk.Frames(h.mem, damage.DataDir+"/log")
		known := max(uint64(h.mark), damage.Vouched(h.mem))
		if n := len(ondisk.Covered(all, uint64(h.next-1), known)) - len(ondisk.Covered(all, uint64(h.next-1), uint64(h.mark))); n > 0 {
			more++
		}
		s := damage.Disk{Draw: d, Mem: h.mem, Hits: ondisk.Covered(all, uint64(h.next-1), known)}
		wild := seed%5 == 4
		if wild {
			s.Hits = all[len(all)-1:]
		}
		if len(s.Hits) == 0 {
			continue
		}
		if file, off, n := s.Run(); d.Chance(1, 2) && len(s.Values()) > 0 {
			f := s.Values()[d.Int(len(s.Values()))]
			s.Garbage(f.File, f.Data, f.End-f.Data)
		} else {
			s.Garbage(file, off, n)
		}
		h.mem.Crash(vfs.Seeded(seed))
		_, rec, _, err := store.Open(h.mem, damage.DataDir, store.Options{Salt: func() uint64 { return 1 }})
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
	h := &filledStore{mem: vfs.NewMem(), next: 1}
	h.open(t, 1<<12)
	require.Zero(t, damage.Vouched(h.mem))
	ballot := func(round uint64) paxos.Promised {
		return paxos.Promised{Ballot: paxos.Ballot{Round: round, Node: 1}}
	}
	h.append(t, paxos.Booted{Boot: 1}, ballot(1))
	require.Zero(t, damage.Vouched(h.mem), "the register comes first")
	h.append(t, ballot(2))
	require.EqualValues(t, 2, damage.Vouched(h.mem))
	h.append(t, ballot(3))
	require.EqualValues(t, 3, damage.Vouched(h.mem))
	must(h.mem.Corrupt(damage.Registers[0]+".b", 30, 1))
	require.Zero(t, damage.Vouched(h.mem), "if the other one rots, nothing is said")
	h.mem.Crash(vfs.Seeded(1))
	h.open(t, 1<<12)
	require.EqualValues(t, 3, damage.Vouched(h.mem), "it was written anew")
	f, err := h.mem.Open(damage.Registers[0] + ".a")
	require.NoError(t, err)
	_, err = f.WriteAt([]byte{0}, 0)
	require.NoError(t, err)
	require.Zero(t, damage.Vouched(h.mem), "not on the disk yet")
}

// The last record of a marked log is rotten, not torn: the mark after it says so.
func TestTheEndOfAMarkedLogIsNeverForgotten(t *testing.T) {
	for seed := range uint64(100) {
		d := draws(t, seed)
		h := newFilledStore(t, d, d.LogUniform(64, 1<<12))
		require.NoError(t, h.s.Idle())
		s := damage.Disk{Draw: d, Mem: h.mem, Hits: ondisk.Covered(ondisk.Frames(h.mem, damage.DataDir+"/log"), uint64(h.next-1), uint64(h.next-1))}
		require.Equal(t, uint64(h.next-1), s.Hits[len(s.Hits)-1].LSN)
		s.RotEnd()
		h.mem.Crash(vfs.Seeded(seed))
		_, _, _, err := store.Open(h.mem, damage.DataDir, store.Options{Salt: func() uint64 { return 1 }})
		require.ErrorIs(t, err, wal.ErrDamaged, "seed %d", seed)
	}
}

// A register is lost when neither copy has what the disk was told to keep.
func TestWhetherARegisterIsLost(t *testing.T) {
	f := newFacts(t)
	mem := newFilledStore(t, draws(t, 1), 1<<12).mem
	f.h.Logs.OnDurable(1, []paxos.Record{paxos.Booted{Boot: 1}})
	f.h.Logs.OnAppend(1, []paxos.Record{paxos.Promised{Ballot: ballot(1, 1)}})
	f.promise(1, ballot(1, 1))
	lost := func() bool { return f.h.Rot.lost(1, mem) }
	d := &f.h.Disks[1]
	value, ok := ondisk.Register(mem, damage.Registers[0])
	require.True(t, ok)
	says := ondisk.ReadPromise(value)
	require.Equal(t, d.Boot, says.Boot)
	require.Equal(t, d.Promise, says.Ballot)
	require.False(t, lost())

	for _, name := range damage.Registers {
		old, err := mem.Contents(name + ".a")
		require.NoError(t, err)
		require.NoError(t, mem.Overlay(name+".a", 0, make([]byte, len(old))))
		require.False(t, lost(), "the other one is good")
		b, err := mem.Contents(name + ".b")
		require.NoError(t, err)
		require.NoError(t, mem.Overlay(name+".b", 0, make([]byte, len(b))))
		require.True(t, lost())
		require.NoError(t, mem.Overlay(name+".a", 0, old))
		require.False(t, lost())
	}
	image, err := mem.Contents(damage.Registers[0] + ".a")
	require.NoError(t, err)
	require.Len(t, image, ondisk.PromiseImage, "a write of it that goes astray hits no more")
	manifest, ok := ondisk.Register(mem, damage.Registers[1])
	require.True(t, ok)
	require.LessOrEqual(t, ondisk.Begin(manifest), says.First)
	cutting := func(first uint64) {
		b, err := mem.Contents(damage.Registers[1] + ".a")
		require.NoError(t, err)
		binary.LittleEndian.PutUint64(b[20+24:], first)
		end := len(b) - 4
		binary.LittleEndian.PutUint32(b[end:], crc32.Checksum(b[:end], crc32.MakeTable(crc32.Castagnoli)))
		for _, suffix := range ondisk.Copies {
			require.NoError(t, mem.Overlay(damage.Registers[1]+suffix, 0, b))
		}
	}
	cutting(says.First)
	require.False(t, lost())
	cutting(says.First + 1)
	require.True(t, lost(), "what is there is from before the log was cut")
	cutting(says.First)
	b, err := mem.Contents(damage.Registers[0] + ".a")
	require.NoError(t, err)
	require.NoError(t, mem.Overlay(damage.Registers[0]+".b", 0, b))
	d.Begun.Round++
	require.False(t, lost(), "it was to be written, and both copies are good")
	require.NoError(t, mem.Overlay(damage.Registers[0]+".b", 0, make([]byte, len(b))))
	require.True(t, f.h.Rot.HasLostRegister(1, mem), "the bad one may have had it")
	require.NoError(t, mem.Overlay(damage.Registers[0]+".b", 0, b))
	require.False(t, lost(), "that was mended")
	require.True(t, f.h.Rot.HasLostRegister(1, mem), "and is lost all the same")
	d.Begun.Round--
	d.Boot++
	require.True(t, lost(), "what is there is older")
}

// must panics on an error of damage to a place that was looked up a moment ago.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
