package cell

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/sim/damage"
	"github.com/chubbycell/chubby/sim/ondisk"
	"github.com/chubbycell/chubby/wal"
)

// rotten is a watch that has seen replica 1 vote for "a" in slot 1 and learn "b"
// in slot 2, and whose disk may have been damaged.
func rotten(t *testing.T, hurt bool) *facts {
	f := newFacts(t)
	f.vote(1, 1, ballot(1, 1), "a")
	f.vote(2, 2, ballot(1, 1), "b")
	f.vote(3, 2, ballot(1, 1), "b")
	f.h.OnDurable(1, []paxos.Record{paxos.Learned{Slot: 2, Value: val("b")}})
	if hurt {
		require.True(t, f.h.Budget.Take(1))
	}
	f.good()
	return f
}

func (f *facts) backWith(report store.Report, rs ...paxos.Record) {
	f.h.OnRecovered(1, store.Recovered{Recovered: paxos.Recovered{Promise: ballot(1, 1), Records: rs, Next: 9}}, report)
}

func TestS17RotIsReportedAndNeverServed(t *testing.T) {
	vote, learned := paxos.Voted{Slot: 1, Ballot: ballot(1, 1), Value: val("a")}, paxos.Learned{Slot: 2, Value: val("b")}
	lost := paxos.Unreadable{Slot: 1, Ballot: ballot(1, 1)}
	told := store.Report{Unreadable: []paxos.Unreadable{lost}, Damaged: make([]wal.Damage, 1)}

	f := rotten(t, true)
	f.backWith(store.Report{}, vote, learned)
	f.backWith(told, lost, paxos.Unlearned{Slot: 2})
	f.good()
	require.Equal(t, 1, f.h.Rot.Unreadable)
	require.Equal(t, 1, f.h.Rot.Unlearned)
	f.says(1, paxos.Promise{Ballot: ballot(1, 1), Boot: 1, Page: paxos.Range{From: 1, To: paxos.MaxSlot}, FirstOpen: 1,
		Votes: []paxos.Vote{{Slot: 1, Ballot: ballot(1, 1), Lost: true}}})
	f.good()
	accepted := paxos.Accepted{Ballot: ballot(1, 1), Boot: 1, Slot: 1}
	f.vote(1, 1, ballot(1, 1), "a")
	f.says(1, accepted)
	f.backWith(told, lost, vote, paxos.Unlearned{Slot: 2})
	f.says(1, accepted)
	f.good() // it was cast again

	for name, c := range map[string]struct {
		hurt bool
		id   string
		do   func(f *facts)
	}{
		"a vote is gone, and nothing rots": {false, "S3", func(f *facts) { f.backWith(store.Report{}, learned) }},
		"rot makes a vote disappear":       {true, "S17", func(f *facts) { f.backWith(store.Report{}, learned) }},
		"rot makes a vote another": {true, "S17", func(f *facts) {
			f.backWith(store.Report{}, paxos.Voted{Slot: 1, Ballot: ballot(1, 1), Value: val("x")})
		}},
		"rot makes a vote that was never cast": {true, "S17", func(f *facts) { f.backWith(store.Report{}, paxos.Unreadable{Slot: 1, Ballot: ballot(0, 1)}) }},
		"rot makes a learned value another":    {true, "S17", func(f *facts) { f.backWith(store.Report{}, vote, paxos.Learned{Slot: 2, Value: val("x")}) }},
		"a learned value is another":           {false, "S1", func(f *facts) { f.backWith(store.Report{}, vote, paxos.Learned{Slot: 2, Value: val("x")}) }},
		"a good disk is said to be damaged":    {false, "S17", func(f *facts) { f.backWith(told, lost, learned) }},
		"rot makes a slot that was never voted in": {true, "S17", func(f *facts) {
			f.backWith(store.Report{}, vote, learned, paxos.Voted{Slot: 1 << 60, Ballot: ballot(1, 1), Value: val("a")})
		}},
		"a disk that was refused is opened": {true, "S17", func(f *facts) {
			f.h.Budget.Bury(1, false)
			f.backWith(store.Report{}, vote, learned)
		}},
		"a promise is forgotten": {true, "S2", func(f *facts) {
			f.h.OnRecovered(1, store.Recovered{Recovered: paxos.Recovered{Records: []paxos.Record{vote}}}, store.Report{})
		}},
		"a page with a rotten value": {true, "S17", func(f *facts) {
			f.promise(1, ballot(2, 1))
			f.says(1, paxos.Promise{Ballot: ballot(2, 1), Boot: 1, Page: paxos.Range{From: 1, To: paxos.MaxSlot}, FirstOpen: 1,
				Votes: []paxos.Vote{{Slot: 1, Ballot: ballot(1, 1), Value: val("x")}}})
		}},
		"a page that calls a good vote unreadable": {false, "I-W1", func(f *facts) {
			f.promise(1, ballot(2, 1))
			f.says(1, paxos.Promise{Ballot: ballot(2, 1), Boot: 1, Page: paxos.Range{From: 1, To: paxos.MaxSlot}, FirstOpen: 1,
				Votes: []paxos.Vote{{Slot: 1, Ballot: ballot(1, 1), Lost: true}}})
		}},
		"a vote without its value is said to stand": {true, "S17", func(f *facts) {
			f.backWith(told, lost, learned)
			f.good()
			f.says(1, paxos.Accepted{Ballot: ballot(1, 1), Boot: 1, Slot: 1})
		}},
		"a rotten value is served": {true, "S17", func(f *facts) {
			f.says(1, paxos.FetchReply{From: 2, Values: []paxos.Value{val("x")}, FirstOpen: 1})
		}},
	} {
		f := rotten(t, c.hurt)
		c.do(f)
		require.NotNil(t, f.w.Failure(), name)
		require.Equal(t, c.id, f.w.Failure().ID, name)
	}
}

// One copy of a register has rotted, and a write to the other one failed half-way:
// nothing can be read, until a power cut takes the half away.
func TestADiskThatWasRefusedForWhatWasNotOnIt(t *testing.T) {
	c := someCell(t, 3)
	r := running(c.replicas[0])
	mem := c.replicas[0].Disk().Mem()
	require.True(t, c.watch.Budget.Take(r.Id))
	write := func() {
		f, err := mem.Open(damage.Registers[0] + ".a")
		require.NoError(t, err)
		_, err = f.WriteAt([]byte("half"), 0)
		require.NoError(t, err)
	}
	require.False(t, damage.HalfWritten(mem))
	write()
	require.True(t, damage.HalfWritten(mem))
	c.refused(r, &wal.DamageError{File: "x", Why: "rot"}, false)
	require.True(t, c.watch.Budget.IsDead(r.Id))
	c.watch.Reported(r.Id, store.Report{})
	require.Nil(t, c.world.Failure())
	require.False(t, c.watch.Budget.IsDead(r.Id))
	require.False(t, c.watch.Budget.Rises(r.Id), "once for each time")
}

// Who refuses its store, and may: S17 has two directions.
func TestS17WhoMayRefuse(t *testing.T) {
	damage := &wal.DamageError{File: "x", Why: "rot"}
	for name, c := range map[string]struct {
		strike func(c *seedRun, id paxos.NodeID)
		lost   bool
		breaks bool
	}{
		"nothing was damaged":        {func(*seedRun, paxos.NodeID) {}, true, true},
		"damage that stops":          {func(c *seedRun, id paxos.NodeID) { c.watch.Budget.Take(id); c.watch.Budget.Doom(id) }, false, false},
		"both copies of a register":  {func(c *seedRun, id paxos.NodeID) { c.watch.Budget.Take(id) }, true, false},
		"damage that it has to bear": {func(c *seedRun, id paxos.NodeID) { c.watch.Budget.Take(id) }, false, true},
		"damage to another replica":  {func(c *seedRun, id paxos.NodeID) { c.watch.Budget.Take(id%3 + 1) }, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			cell := someCell(t, 3)
			r := running(cell.replicas[0])
			c.strike(cell, r.Id)
			cell.refused(r, errors.Join(damage), c.lost)
			if f := cell.world.Failure(); c.breaks {
				require.NotNil(t, f)
				require.Equal(t, "S17", f.ID)
			} else {
				require.Nil(t, f)
			}
			require.Equal(t, !c.breaks, cell.watch.Budget.IsDead(r.Id))
		})
	}
}

// A register is lost when neither copy has what the disk was told to keep.
func TestWhetherARegisterIsLost(t *testing.T) {
	c := someCell(t, 3)
	r := running(c.replicas[0])
	mem := c.replicas[0].Disk().Mem()
	d := &c.watch.Disks[r.Id]
	value, ok := ondisk.Register(mem, damage.Registers[0])
	require.True(t, ok)
	says := ondisk.ReadPromise(value)
	require.Equal(t, d.Boot, says.Boot)
	require.Equal(t, d.Promise, says.Ballot)
	require.False(t, c.watch.Lost(r.Id, mem))

	for _, name := range damage.Registers {
		old, err := mem.Contents(name + ".a")
		require.NoError(t, err)
		require.NoError(t, mem.Overlay(name+".a", 0, make([]byte, len(old))))
		require.False(t, c.watch.Lost(r.Id, mem), "the other one is good")
		b, err := mem.Contents(name + ".b")
		require.NoError(t, err)
		require.NoError(t, mem.Overlay(name+".b", 0, make([]byte, len(b))))
		require.True(t, c.watch.Lost(r.Id, mem))
		require.NoError(t, mem.Overlay(name+".a", 0, old))
		require.False(t, c.watch.Lost(r.Id, mem))
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
	require.False(t, c.watch.Lost(r.Id, mem))
	cutting(says.First + 1)
	require.True(t, c.watch.Lost(r.Id, mem), "what is there is from before the log was cut")
	cutting(says.First)
	b, err := mem.Contents(damage.Registers[0] + ".a")
	require.NoError(t, err)
	require.NoError(t, mem.Overlay(damage.Registers[0]+".b", 0, b))
	d.Begun.Round++
	require.False(t, c.watch.Lost(r.Id, mem), "it was to be written, and both copies are good")
	require.NoError(t, mem.Overlay(damage.Registers[0]+".b", 0, make([]byte, len(b))))
	require.True(t, c.watch.HasLostRegister(r.Id, mem), "the bad one may have had it")
	require.NoError(t, mem.Overlay(damage.Registers[0]+".b", 0, b))
	require.False(t, c.watch.Lost(r.Id, mem), "that was mended")
	require.True(t, c.watch.HasLostRegister(r.Id, mem), "and is lost all the same")
	d.Begun.Round--
	d.Boot++
	require.True(t, c.watch.Lost(r.Id, mem), "what is there is older")
}

// A log gives back all that was synced, whatever kind of record it is.
func TestALogEndsWhereItWasSynced(t *testing.T) {
	for _, c := range []struct {
		hurt   bool
		next   paxos.LSN
		breaks string
	}{
		{false, 9, ""}, {true, 9, ""}, {false, 10, ""},
		{false, 8, "S3"}, {true, 8, "S17"},
	} {
		f := rotten(t, c.hurt)
		f.h.OnSynced(1, 8)
		f.h.OnRecovered(1, store.Recovered{Recovered: paxos.Recovered{
			Promise: ballot(1, 1), Next: c.next, Records: []paxos.Record{paxos.Voted{Slot: 1, Ballot: ballot(1, 1), Value: val("a")}},
		}}, store.Report{})
		if c.breaks == "" {
			f.good()
		} else {
			f.breaks(c.breaks)
		}
	}
}

// A log that has written its watermark says so, in a frame or by where its last segment
// begins.
func TestS17AMarkedLogStatesWhatIsSynced(t *testing.T) {
	for seed := range uint64(40) {
		d := draws(t, seed)
		h := newShelf(t, d, d.LogUniform(64, 1<<12))
		f := newFacts(t)
		f.h.OnSynced(1, h.next-1)
		require.NoError(t, h.s.Idle())
		f.h.OnMarked(1, ondisk.Watermark(h.mem, damage.DataDir+"/log"))
		f.good()
		require.Equal(t, h.next-1, f.h.Disks[1].Mark)

		h.append(t, paxos.Promised{Ballot: paxos.Ballot{Round: 9, Node: 1}})
		f.h.OnSynced(1, h.next-1)
		says := ondisk.Watermark(h.mem, damage.DataDir+"/log")
		require.LessOrEqual(t, says, uint64(h.next-2))
		f.h.OnMarked(1, says)
		f.breaks("S17")

		f = newFacts(t) // what stands there may have rotted
		f.h.OnSynced(1, h.next-1)
		require.True(t, f.h.Budget.Take(1))
		f.h.OnMarked(1, says)
		f.good()
	}
}

// Opening a register leaves two copies that hold the same.
func TestS17ARegisterIsMendedWhenItIsOpened(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*shelf, []byte)
		hurt   bool
		breaks bool
	}{
		"as they were": {func(*shelf, []byte) {}, false, false},
		"one is older": {func(h *shelf, was []byte) { must(h.mem.Overlay(damage.Registers[1]+".b", 0, was)) }, false, true},
		"one is bad":   {func(h *shelf, _ []byte) { must(h.mem.Corrupt(damage.Registers[0]+".a", 30, 1)) }, false, true},
		"one is gone":  {func(h *shelf, _ []byte) { must(h.mem.Lose(damage.Registers[0] + ".b")) }, false, true},
		"never written": {func(h *shelf, _ []byte) {
			must(h.mem.Lose(damage.Registers[0] + ".a"))
			must(h.mem.Lose(damage.Registers[0] + ".b"))
		}, false, false},
		"not on the disk":      {func(h *shelf, _ []byte) { h.unsynced(damage.Registers[0] + ".b") }, false, true},
		"more than counts":     {func(h *shelf, _ []byte) { h.unsynced(damage.Registers[1] + ".b") }, false, false},
		"one has rotted since": {func(h *shelf, _ []byte) { must(h.mem.Corrupt(damage.Registers[0]+".a", 30, 1)) }, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			f, h := newFacts(t), newShelf(t, draws(t, 1), 256)
			was, err := h.mem.Contents(damage.Registers[1] + ".b")
			require.NoError(t, err)
			for range 9 {
				h.append(t, paxos.Voted{Slot: 99, Ballot: ballot(1, 1), Value: val("a")})
			}
			if c.hurt {
				require.True(t, f.h.Budget.Take(1))
			}
			c.change(h, was)
			f.h.OnMended(1, h.mem)
			if c.breaks {
				f.breaks("S17")
			} else {
				f.good()
			}
		})
	}
}

// unsynced writes other bytes into a copy of a register, and the same ones again: the
// disk may have any of them.
func (h *shelf) unsynced(name string) {
	b, err := h.mem.Contents(name)
	must(err)
	file, err := h.mem.Open(name)
	must(err)
	_, err = file.WriteAt(make([]byte, len(b)), 0)
	must(err)
	_, err = file.WriteAt(b, 0)
	must(err)
	must(file.Close())
}

// A replica that promises writes down how much of its log was synced by then.
func TestS17APromiseRegisterVouchesForTheLog(t *testing.T) {
	promises := func(round uint64) []paxos.Record {
		return []paxos.Record{paxos.Promised{Ballot: ballot(round, 1)}}
	}
	for seed := range uint64(40) {
		d := draws(t, seed)
		h := newShelf(t, d, d.LogUniform(64, 1<<12))
		f := newFacts(t)
		f.h.OnSynced(1, h.next-1)
		require.NoError(t, h.s.Append(h.next, promises(7)))
		f.h.OnVouched(1, promises(7), h.mem)
		f.good()
		require.NoError(t, h.s.Sync())

		f.h.OnSynced(1, h.next) // and nothing has said so since
		f.h.OnVouched(1, []paxos.Record{paxos.Voted{}}, h.mem)
		f.good()
		f.h.OnVouched(1, promises(8), h.mem)
		f.breaks("S17")

		f = newFacts(t) // what stands there may have rotted
		f.h.OnSynced(1, h.next)
		require.True(t, f.h.Budget.Take(1))
		f.h.OnVouched(1, promises(8), h.mem)
		f.good()
	}
}
