package agreement

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/sim/damage"
	"github.com/chubbycell/chubby/sim/ondisk"
	"github.com/chubbycell/chubby/wal"
)

// rotten is a Checker that has seen replica 1 vote for "a" in slot 1 and learn "b" in slot 2.
// Its disk may have been damaged.
func rotten(t *testing.T, hurt bool) *facts {
	f := newFacts(t)
	f.vote(1, 1, ballot(1, 1), "a")
	f.vote(2, 2, ballot(1, 1), "b")
	f.vote(3, 2, ballot(1, 1), "b")
	f.h.Logs.OnDurable(1, []paxos.Record{paxos.Learned{Slot: 2, Value: val("b")}})
	if hurt {
		require.True(t, f.h.Budget.Take(1))
	}
	f.good()
	return f
}

func (f *facts) backWith(report store.Report, rs ...paxos.Record) {
	f.h.Logs.OnRecovered(1, store.Recovered{Recovered: paxos.Recovered{Promise: ballot(1, 1), Records: rs, Next: 9}}, report)
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
			f.h.Logs.OnRecovered(1, store.Recovered{Recovered: paxos.Recovered{Records: []paxos.Record{vote}}}, store.Report{})
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

// A log gives back all that was synced, whatever kinds of records it has.
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
		f.h.Logs.OnSynced(1, 8)
		f.h.Logs.OnRecovered(1, store.Recovered{Recovered: paxos.Recovered{
			Promise: ballot(1, 1), Next: c.next, Records: []paxos.Record{paxos.Voted{Slot: 1, Ballot: ballot(1, 1), Value: val("a")}},
		}}, store.Report{})
		if c.breaks == "" {
			f.good()
		} else {
			f.breaks(c.breaks)
		}
	}
}

// A log that has written its watermark states it in a frame, or by where its last segment
// begins.
func TestS17AMarkedLogStatesWhatIsSynced(t *testing.T) {
	for seed := range uint64(40) {
		d := draws(t, seed)
		h := newFilledStore(t, d, d.LogUniform(64, 1<<12))
		f := newFacts(t)
		f.h.Logs.OnSynced(1, h.next-1)
		require.NoError(t, h.s.Idle())
		f.h.Logs.OnMarked(1, ondisk.Watermark(h.mem, damage.DataDir+"/log"))
		f.good()
		require.Equal(t, h.next-1, f.h.Disks[1].Mark)

		h.append(t, paxos.Promised{Ballot: paxos.Ballot{Round: 9, Node: 1}})
		f.h.Logs.OnSynced(1, h.next-1)
		says := ondisk.Watermark(h.mem, damage.DataDir+"/log")
		require.LessOrEqual(t, says, uint64(h.next-2))
		f.h.Logs.OnMarked(1, says)
		f.breaks("S17")

		f = newFacts(t) // the bytes there may have rotted
		f.h.Logs.OnSynced(1, h.next-1)
		require.True(t, f.h.Budget.Take(1))
		f.h.Logs.OnMarked(1, says)
		f.good()
	}
}

// Opening a register leaves two copies with the same value.
func TestS17ARegisterIsMendedWhenItIsOpened(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*filledStore, []byte)
		hurt   bool
		breaks bool
	}{
		"as they were": {func(*filledStore, []byte) {}, false, false},
		"one is older": {func(h *filledStore, was []byte) { must(h.mem.Overlay(damage.Registers[1]+".b", 0, was)) }, false, true},
		"one is bad":   {func(h *filledStore, _ []byte) { must(h.mem.Corrupt(damage.Registers[0]+".a", 30, 1)) }, false, true},
		"one is gone":  {func(h *filledStore, _ []byte) { must(h.mem.Lose(damage.Registers[0] + ".b")) }, false, true},
		"never written": {func(h *filledStore, _ []byte) {
			must(h.mem.Lose(damage.Registers[0] + ".a"))
			must(h.mem.Lose(damage.Registers[0] + ".b"))
		}, false, false},
		"not on the disk":      {func(h *filledStore, _ []byte) { h.unsynced(damage.Registers[0] + ".b") }, false, true},
		"more than counts":     {func(h *filledStore, _ []byte) { h.unsynced(damage.Registers[1] + ".b") }, false, false},
		"one has rotted since": {func(h *filledStore, _ []byte) { must(h.mem.Corrupt(damage.Registers[0]+".a", 30, 1)) }, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			f, h := newFacts(t), newFilledStore(t, draws(t, 1), 256)
			was, err := h.mem.Contents(damage.Registers[1] + ".b")
			require.NoError(t, err)
			for range 9 {
				h.append(t, paxos.Voted{Slot: 99, Ballot: ballot(1, 1), Value: val("a")})
			}
			if c.hurt {
				require.True(t, f.h.Budget.Take(1))
			}
			c.change(h, was)
			f.h.Rot.OnMended(1, h.mem)
			if c.breaks {
				f.breaks("S17")
			} else {
				f.good()
			}
		})
	}
}

// unsynced writes other bytes into a copy of a register, and then the old ones again: the
// disk may have either.
func (h *filledStore) unsynced(name string) {
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

// A replica that promises records how much of its log is synced by then.
func TestS17APromiseRegisterVouchesForTheLog(t *testing.T) {
	promises := func(round uint64) []paxos.Record {
		return []paxos.Record{paxos.Promised{Ballot: ballot(round, 1)}}
	}
	for seed := range uint64(40) {
		d := draws(t, seed)
		h := newFilledStore(t, d, d.LogUniform(64, 1<<12))
		f := newFacts(t)
		f.h.Logs.OnSynced(1, h.next-1)
		require.NoError(t, h.s.Append(h.next, promises(7)))
		f.h.Rot.OnVouched(1, promises(7), h.mem)
		f.good()
		require.NoError(t, h.s.Sync())

		f.h.Logs.OnSynced(1, h.next) // and nothing has recorded it since
		f.h.Rot.OnVouched(1, []paxos.Record{paxos.Voted{}}, h.mem)
		f.good()
		f.h.Rot.OnVouched(1, promises(8), h.mem)
		f.breaks("S17")

		f = newFacts(t) // the bytes there may have rotted
		f.h.Logs.OnSynced(1, h.next)
		require.True(t, f.h.Budget.Take(1))
		f.h.Rot.OnVouched(1, promises(8), h.mem)
		f.good()
	}
}
