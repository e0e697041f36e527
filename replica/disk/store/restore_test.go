package store_test

import (
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/wal"
	"github.com/chubbycell/chubby/wal/vfs"
)

// sameAs loads rows and compares them.
func sameAs(t *testing.T, want *db.DB) func(io.Reader) error {
	return func(r io.Reader) error {
		got, err := db.Load(r)
		if err == nil {
			require.Equal(t, want.Checksum(), got.Checksum())
		}
		return err
	}
}

func restoring(seed uint64) store.Options {
	return store.Options{ChunkSize: 100, Salt: salts(seed)}
}

func TestARestoredStoreBeginsWithTheRowsAndHasNeverVoted(t *testing.T) {
	m, h := vfs.NewMem(), handleAt(50)
	require.NoError(t, store.Restore(m, dir, restoring(1), h, rowsAt(50).View()))
	g := &rig{m: m, o: restoring(2)}
	g.open(t)
	require.False(t, g.rep.Created)
	require.Equal(t, h, g.rec.Snapshot)
	require.Equal(t, rowsAt(50).Checksum(), g.rec.Rows.Checksum())
	require.Equal(t, paxos.Recovered{Boot: 1, Promise: h.Ballot, Next: 1, Snapshot: h, Floor: 51}, g.rec.Recovered)

	require.NoError(t, g.append(paxos.Booted{Boot: 2}, paxos.Promised{Ballot: b22}, voted(51, b22)))
	require.NoError(t, g.s.Sync())
	require.NoError(t, g.s.Close())
	g.open(t)
	require.EqualValues(t, 2, g.rec.Boot)
	require.Equal(t, []paxos.Record{voted(51, b22)}, g.rec.Records)
}

func TestNothingIsRestoredOverSomething(t *testing.T) {
	g := newRig(t, 0)
	require.NoError(t, g.s.Close())
	err := store.Restore(g.m, dir, restoring(1), handleAt(50), rowsAt(50).View())
	require.ErrorIs(t, err, store.ErrNotEmpty)
	g.open(t)
	require.ErrorContains(t, store.Restore(g.m, "new", store.Options{}, handleAt(50), rowsAt(50).View()), "Salt")
	require.NoError(t, g.m.MkdirAll("empty"))
	require.NoError(t, store.Restore(g.m, "empty", restoring(1), handleAt(50), rowsAt(50).View()))
}

// A death at every call of a restoration: a store that opens has the rows, or
// nothing at all had come about; one that has a part of it refuses to.
func TestDeathAtEveryCallOfARestoration(t *testing.T) {
	for name, crash := range crashes {
		t.Run(name, func(t *testing.T) {
			refused, whole := 0, 0
			for n := 1; ; n++ {
				m, calls := vfs.NewMem(), n
				m.SetFault(func(vfs.Call) vfs.Fault {
					if calls--; calls == 0 {
						crash(m, uint64(n))
					}
					return vfs.Fault{}
				})
				err := store.Restore(m, dir, restoring(1), handleAt(50), rowsAt(50).View())
				m.SetFault(nil)
				if calls > 0 {
					require.NoError(t, err)
					require.Greater(t, refused, 10)
					require.Positive(t, whole)
					return
				}
				m.Crash(vfs.Seeded(uint64(n)))
				st, rec, report, err := store.Open(m, dir, restoring(2))
				switch {
				case err != nil:
					refused++
					require.True(t, errors.Is(err, store.ErrForgot) || errors.Is(err, store.ErrUncovered) || errors.Is(err, wal.ErrDamaged), "%v", err)
					require.ErrorIs(t, store.Restore(m, dir, restoring(3), handleAt(50), rowsAt(50).View()), store.ErrNotEmpty)
					continue
				case report.Created:
					require.Zero(t, refused, "once there is something, it is never taken for nothing")
				default:
					whole++
					require.Equal(t, rowsAt(50).Checksum(), rec.Rows.Checksum())
				}
				require.NoError(t, st.Close())
			}
		})
	}
}
