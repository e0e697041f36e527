package store_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/wal"
	"github.com/chubbycell/chubby/wal/vfs"
)

func TestWhatCannotBeNarrowedDownRefuses(t *testing.T) {
	for name, harm := range map[string]func(*testing.T, *rig) error{
		"a rotten header below the watermark": func(t *testing.T, g *rig) error {
			return g.m.Corrupt(first, g.place(t, 4)+inHeader, 1)
		},
		"both copies of the promise": func(_ *testing.T, g *rig) error {
			return errors.Join(g.m.Corrupt(dir+"/promise.a", 25, 1), g.m.Corrupt(dir+"/promise.b", 25, 1))
		},
		"a synced end that the register knows of": func(t *testing.T, g *rig) error {
			at := g.place(t, 5)
			g.must(t, paxos.Promised{Ballot: b33}) // its register says #5 is synced
			h, err := g.m.Open(first)
			return errors.Join(err, h.Truncate(at), h.Sync(), h.Close())
		},
		"a segment gone": func(_ *testing.T, g *rig) error { return g.m.Remove(first) },
	} {
		t.Run(name, func(t *testing.T) {
			g := newRig(t, 0)
			g.must(t, paxos.Booted{Boot: 1}, paxos.Promised{Ballot: b22}, voted(1, b11), voted(2, b22),
				paxos.Learned{Slot: 3, Value: value(3, b22, 50)})
			require.NoError(t, g.s.Idle())
			require.NoError(t, harm(t, g))
			g.m.Crash(vfs.KeepAll)
			for range 2 {
				err := g.tryOpen()
				require.ErrorIs(t, err, wal.ErrDamaged)
				require.ErrorContains(t, err, dir+"/")
				require.Nil(t, g.s)
				require.Empty(t, g.rec)
			}
		})
	}
}

func TestEitherCopyOfThePromiseMayRot(t *testing.T) {
	for _, name := range []string{dir + "/promise.a", dir + "/promise.b"} {
		g := newRig(t, 0)
		g.must(t, paxos.Booted{Boot: 1}, paxos.Promised{Ballot: b11})
		g.must(t, paxos.Promised{Ballot: b22}, voted(1, b22))
		require.NoError(t, g.m.Corrupt(name, 25, 1))
		g.reopen(t)
		require.Equal(t, b22, g.rec.Promise)
		require.Equal(t, []string{name}, g.rep.Repaired)
	}
}

// put copies files of another disk over those of g.
func (g *rig) put(t *testing.T, from *vfs.Mem, names ...string) {
	t.Helper()
	for _, name := range names {
		b, err := from.Contents(name)
		require.NoError(t, err)
		h, err := g.m.Open(name)
		require.NoError(t, err)
		require.NoError(t, h.Truncate(0))
		_, err = h.WriteAt(b, 0)
		require.NoError(t, err)
		require.NoError(t, h.Close())
	}
}

func TestLogAndRegisterOfDifferentAgeRefuse(t *testing.T) {
	register := []string{dir + "/promise.a", dir + "/promise.b"}
	remove := func(t *testing.T, g *rig, names ...string) {
		for _, name := range names {
			require.NoError(t, g.m.Remove(name))
		}
	}
	for name, c := range map[string]struct {
		more []paxos.Record // written after the old copy was taken
		harm func(*testing.T, *rig, *vfs.Mem)
	}{
		"a promise the register does not know": {
			[]paxos.Record{paxos.Promised{Ballot: b22}},
			func(t *testing.T, g *rig, old *vfs.Mem) { g.put(t, old, register...) },
		},
		"a vote above the register's promise": {
			[]paxos.Record{paxos.Promised{Ballot: b22}, voted(2, b22)},
			func(t *testing.T, g *rig, old *vfs.Mem) { g.put(t, old, register...) },
		},
		"a boot the register does not know": {
			[]paxos.Record{paxos.Booted{Boot: 2}},
			func(t *testing.T, g *rig, old *vfs.Mem) { g.put(t, old, register...) },
		},
		"no register": {
			nil, func(t *testing.T, g *rig, _ *vfs.Mem) { remove(t, g, register...) },
		},
		"no log": {
			nil, func(t *testing.T, g *rig, _ *vfs.Mem) {
				remove(t, g, dir+"/log/manifest.a", dir+"/log/manifest.b", first)
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := newRig(t, 0)
			g.must(t, paxos.Booted{Boot: 1}, paxos.Promised{Ballot: b11}, voted(1, b11))
			old := g.m.Clone()
			if c.more != nil {
				g.must(t, c.more...)
			}
			g.m.Kill()
			c.harm(t, g, old)
			require.ErrorIs(t, g.tryOpen(), store.ErrForgot)
		})
	}
}

func TestNoSaltRefuses(t *testing.T) {
	m := vfs.NewMem()
	_, _, _, err := store.Open(m, dir, store.Options{})
	require.ErrorContains(t, err, "no Options.Salt")
	require.Empty(t, m.Files(), "nothing was made")
}

// A client's value is frames of a log, made without the salt, and the power cut
// takes the head of the vote for it: a torn tail, as any other.
func TestAVoteForAValueFullOfFrames(t *testing.T) {
	theirs := newRig(t, 0)
	theirs.o.Salt = salts(2)
	theirs.m = vfs.NewMem()
	theirs.open(t)
	theirs.must(t, paxos.Booted{Boot: 1}, paxos.Promised{Ballot: b11})
	for slot := range paxos.Slot(20) {
		theirs.must(t, voted(slot+1, b11))
	}
	frames, err := theirs.m.Contents(first)
	require.NoError(t, err)

	g := newRig(t, 0)
	g.must(t, paxos.Booted{Boot: 1}, paxos.Promised{Ballot: b11})
	at := lastByte(t, g.m, first)
	hostile := paxos.Batch(frames[:lastByte(t, theirs.m, first)])
	require.NoError(t, g.append(paxos.Voted{Slot: 1, Ballot: b11, Value: hostile}))
	g.m.Crash(vfs.KeepAll)
	require.NoError(t, g.m.Corrupt(first, at+9, 4))
	g.open(t)
	require.NotNil(t, g.rep.Torn)
	require.Equal(t, at, g.rep.Torn.Offset)
	require.Equal(t, paxos.LSN(3), g.rec.Next)
}

// lastByte is where the zeros at a file's end begin.
func lastByte(t *testing.T, m *vfs.Mem, name string) int64 {
	t.Helper()
	b, err := m.Contents(name)
	require.NoError(t, err)
	return int64(len(bytes.TrimRight(b, "\x00")))
}

func TestARecordThatMakesNoSenseRefuses(t *testing.T) {
	for name, e := range map[string]wal.Entry{
		"kind": {LSN: 2, Kind: 99, Tag: make([]byte, 20)},
		"tag":  {LSN: 2, Kind: paxos.RecordVoted, Tag: []byte("short")},
		"vote": {LSN: 2, Kind: paxos.RecordVoted, Tag: make([]byte, 20), Data: "x"},
	} {
		g := newRig(t, 0)
		g.must(t, paxos.Booted{Boot: 1})
		require.NoError(t, g.s.Close())
		l, _, err := wal.Open(g.m, dir+"/log", wal.Options{})
		require.NoError(t, err)
		require.NoError(t, l.Append(e))
		require.NoError(t, l.Close())
		err = g.tryOpen()
		require.ErrorIs(t, err, store.ErrRecord, name)
		require.ErrorContains(t, err, "#2")
	}
}

// Only facts are left of the log, which name no ballot: the register is missed
// all the same.
func TestALogOfFactsWithoutARegisterRefuses(t *testing.T) {
	g := newRig(t, 0)
	require.NoError(t, g.append(paxos.Learned{Slot: 1, Value: paxos.Noop}))
	g.m.Crash(vfs.KeepAll)
	require.ErrorIs(t, g.tryOpen(), store.ErrForgot)
}
