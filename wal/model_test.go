package wal_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/wal"
	"github.com/chubbycell/chubby/wal/vfs"
	"github.com/chubbycell/chubby/wal/vfs/vfstest"
)

// model drives a log and its twin with the same random calls.
type model struct {
	m *vfs.Mem
	w twin
	l *wal.Log
	o wal.Options
	// forgeries are the bytes of logs that clients made.
	forgeries []string
}

// manyFrames is how many entries a forgery has: more than a log of the model.
const manyFrames = 1000

// stranger is data of a client that wants it to be taken for frames:
// forged ones of the numbers that come next, or bytes of the log's own files.
func (s *model) stranger(t *rapid.T) string {
	if rapid.Bool().Draw(t, "forged") {
		b := rapid.SampledFrom(s.forgeries).Draw(t, "forgery")
		skip := segmentStart + 28*min(int(s.w.next()-1), manyFrames)
		return b[skip:min(skip+28*rapid.IntRange(1, 40).Draw(t, "frames"), len(b))]
	}
	b, err := s.m.Contents(rapid.SampledFrom(s.m.Files()).Draw(t, "file").Name)
	require.NoError(t, err)
	return string(b[:min(len(b), 2000)])
}

// reopen opens the log after a death, which may come again during recovery.
func (s *model) reopen(t *rapid.T) {
	for rapid.IntRange(0, 3).Draw(t, "again") == 0 {
		seed := rapid.Uint64().Draw(t, "seed")
		vfstest.DieAt(s.m, rapid.IntRange(1, 20).Draw(t, "call"), func() { s.m.Crash(vfs.Seeded(seed)) })
		if _, r, err := wal.Open(s.m, dir, s.o); err != nil {
			require.True(t, vfstest.IsDeath(err), "%v", err)
		} else {
			s.w.recovered(t, r)
			s.m.Kill()
		}
	}
	s.m.SetFault(nil)
	s.o.SegmentSize = rapid.SampledFrom([]int64{1, 200, 1000, 10_000}).Draw(t, "segment size")
	s.l = s.w.open(t, s.m, s.o)
}

// survive accepts an error that the test itself arranged, and starts over.
func (s *model) survive(t *rapid.T, err error) {
	if err == nil {
		s.m.SetFault(nil)
		return
	}
	require.ErrorIs(t, s.l.Append(), err, "final")
	require.ErrorIs(t, s.l.Sync(), err, "final")
	s.m.SetFault(nil)
	if rapid.Bool().Draw(t, "power cut too") {
		s.m.Crash(vfs.Seeded(rapid.Uint64().Draw(t, "seed")))
	} else {
		s.m.Kill()
	}
	s.reopen(t)
}

// arrange may put a fault before one of the next calls.
func (s *model) arrange(t *rapid.T) {
	n := rapid.IntRange(1, 12).Draw(t, "fault at")
	fault := rapid.SampledFrom([]vfs.Fault{
		{Err: vfs.ErrIO}, {Err: vfs.ErrIO, Drop: true}, {Err: vfs.ErrNoSpace, Short: 10}, {Err: vfs.ErrNoSpace},
	}).Draw(t, "fault")
	s.m.SetFault(func(c vfs.Call) vfs.Fault {
		if n--; n == 0 {
			return fault
		}
		return vfs.Fault{}
	})
}

func TestLogIsAListThatSurvives(t *testing.T) {
	forgeries := []string{forged(t, manyFrames, nil), forged(t, manyFrames, salts(2))}
	rapid.Check(t, func(t *rapid.T) {
		s := &model{m: vfs.NewMem(), o: wal.Options{SegmentSize: 1000, Salt: salts(1)}, forgeries: forgeries}
		s.l = s.w.open(t, s.m, s.o)
		salt := uint64(0)
		t.Repeat(map[string]func(*rapid.T){
			"append": func(t *rapid.T) {
				salt++
				n, size := rapid.IntRange(1, 6).Draw(t, "n"), rapid.IntRange(0, 700).Draw(t, "size")
				s.survive(t, s.w.append(s.l, n, size, salt))
			},
			"append a stranger's": func(t *rapid.T) {
				s.survive(t, s.l.Append(s.w.entryOf(s.stranger(t)), s.w.entry(20, salt)))
			},
			"sync":   func(t *rapid.T) { s.survive(t, s.w.sync(s.l)) },
			"idle":   func(t *rapid.T) { s.survive(t, s.l.Idle()) },
			"faulty": func(t *rapid.T) { s.arrange(t) },
			"drop": func(t *rapid.T) {
				s.survive(t, s.w.drop(s.l, wal.LSN(rapid.IntRange(1, int(s.w.next())).Draw(t, "lsn"))))
			},
			"power cut": func(t *rapid.T) {
				s.m.SetFault(nil)
				s.m.Crash(vfs.Seeded(rapid.Uint64().Draw(t, "seed")))
				s.reopen(t)
			},
			"kill": func(t *rapid.T) {
				s.m.SetFault(nil)
				s.m.Kill()
				s.reopen(t)
			},
			"close": func(t *rapid.T) {
				s.m.SetFault(nil)
				require.NoError(t, s.l.Close())
				s.reopen(t)
			},
		})
	})
}
