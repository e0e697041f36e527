package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/snapshot"
	"github.com/chubbycell/chubby/wal/vfs"
)

// ours is the cell whose backups these are.
const ours = 0xabc

func backupAt(slot, after paxos.Slot) store.Backup {
	return store.Backup{Handle: handleAt(slot), Rows: rowsAt(slot).View(), Cell: ours, After: after}
}

// kept is what a place holds of a cell: the slots, each with the rows of then.
func kept(t *testing.T, p store.Place, cell uint64) (slots []paxos.Slot) {
	t.Helper()
	snaps, report, err := snapshot.Open(p.FS, p.Directory(cell), snapshot.Options{})
	require.NoError(t, err)
	require.Empty(t, report.Bad)
	for _, id := range report.Good {
		slot := paxos.Slot(id.Handle.Slot)
		slots = append(slots, slot)
		require.EqualValues(t, 7, id.Handle.Epoch)
		require.NoError(t, snaps.Load(id.Handle, sameAs(t, rowsAt(slot))))
	}
	require.NoError(t, snaps.Close())
	return slots
}

func TestAPlaceKeepsTheNewestBackups(t *testing.T) {
	p := store.Place{FS: vfs.NewMem(), Dir: "far/away", Keep: 3, ChunkSize: 100}
	for slot := paxos.Slot(10); slot <= 50; slot += 10 {
		made, err := p.Write(backupAt(slot, slot-10))
		require.NoError(t, err)
		require.Equal(t, handleAt(slot), made.ID.Handle)
		require.False(t, made.Found)
		require.NoError(t, made.Unpruned)
	}
	require.Equal(t, []paxos.Slot{30, 40, 50}, kept(t, p, ours))
}

// A master that wrote a backup and did not live to have it recorded has not worked
// in vain: the next one finds it.
func TestABackupThatNobodyRecordedIsFound(t *testing.T) {
	p := store.Place{FS: vfs.NewMem(), Dir: "far"}
	_, err := p.Write(backupAt(10, 0))
	require.NoError(t, err)
	made, err := p.Write(backupAt(12, 0))
	require.NoError(t, err)
	require.True(t, made.Found)
	require.Equal(t, handleAt(10), made.ID.Handle)
	made, err = p.Write(backupAt(12, 10))
	require.NoError(t, err)
	require.False(t, made.Found)
	require.Equal(t, []paxos.Slot{10, 12}, kept(t, p, ours))
}

func TestCellsThatShareAPlaceDoNotMeet(t *testing.T) {
	p := store.Place{FS: vfs.NewMem(), Dir: "far"}
	_, err := p.Write(backupAt(50, 0))
	require.NoError(t, err)
	other := backupAt(9, 0)
	other.Cell++
	made, err := p.Write(other)
	require.NoError(t, err)
	require.False(t, made.Found)
	require.Equal(t, []paxos.Slot{50}, kept(t, p, ours))
	require.Equal(t, []paxos.Slot{9}, kept(t, p, ours+1))
}

// Whatever fails, the backups that there were stay, and the next one comes about.
// After an error there is no half a backup; it may be whole.
func TestABackupThatFailsHarmsNone(t *testing.T) {
	for name, fault := range map[string]vfs.Fault{
		"unreadable": {Err: vfs.ErrIO, Drop: true}, "full": {Err: vfs.ErrNoSpace, Short: 5},
	} {
		t.Run(name, func(t *testing.T) {
			failed := 0
			for n := 1; ; n++ {
				m := vfs.NewMem()
				p := store.Place{FS: m, Dir: "far", Keep: 2, ChunkSize: 100}
				for _, slot := range []paxos.Slot{10, 20} {
					_, err := p.Write(backupAt(slot, slot-10))
					require.NoError(t, err)
				}
				calls := n
				m.SetFault(func(c vfs.Call) vfs.Fault {
					if calls--; calls == 0 && c.Op != vfs.OpClose {
						return fault
					}
					return vfs.Fault{}
				})
				made, err := p.Write(backupAt(30, 20))
				m.SetFault(nil)
				if calls > 0 {
					require.NoError(t, err)
					require.Greater(t, failed, 10)
					return
				}
				if err != nil {
					failed++
					require.ErrorIs(t, err, fault.Err)
				}
				all := kept(t, p, ours)
				require.Contains(t, all, paxos.Slot(20))
				if err == nil {
					require.Contains(t, all, paxos.Slot(30))
					require.True(t, len(all) == 2 || made.Unpruned != nil || made.Bad != nil)
				}
				made, err = p.Write(backupAt(40, 20))
				require.NoError(t, err)
				if made.Found {
					made, err = p.Write(backupAt(40, 30))
					require.NoError(t, err)
				}
				require.False(t, made.Found)
				all = kept(t, p, ours)
				require.Len(t, all, 2)
				require.EqualValues(t, 40, all[1])
			}
		})
	}
}

// A death at every call of writing a backup, also with pruning: each file that has
// the name of one is whole, the newest that was confirmed is there, and the next
// backup comes about.
func TestDeathAtEveryCallOfABackup(t *testing.T) {
	for name, crash := range crashes {
		t.Run(name, func(t *testing.T) {
			for n := 1; ; n++ {
				m := vfs.NewMem()
				p := store.Place{FS: m, Dir: "far", Keep: 2, ChunkSize: 100}
				calls, confirmed := n, paxos.Slot(0)
				m.SetFault(func(vfs.Call) vfs.Fault {
					if calls--; calls == 0 {
						crash(m, uint64(n))
					}
					return vfs.Fault{}
				})
				var err error
				for slot := paxos.Slot(10); slot <= 40 && err == nil; slot += 10 {
					if _, err = p.Write(backupAt(slot, confirmed)); err == nil {
						confirmed = slot
					}
				}
				m.SetFault(nil)
				if calls > 0 {
					require.NoError(t, err)
					require.Greater(t, n, 60)
					return
				}
				if confirmed < 40 {
					require.ErrorIs(t, err, vfs.ErrCrashed)
				}
				m.Crash(vfs.Seeded(uint64(n)))
				all := kept(t, p, ours)
				if confirmed > 0 {
					require.Contains(t, all, confirmed)
				}
				made, err := p.Write(backupAt(50, confirmed))
				require.NoError(t, err)
				require.Equal(t, len(all) > 0 && all[len(all)-1] > confirmed, made.Found)
			}
		})
	}
}

func TestABackupThatRotIsTold(t *testing.T) {
	m := vfs.NewMem()
	p := store.Place{FS: m, Dir: "far", Keep: 5, ChunkSize: 100}
	for _, slot := range []paxos.Slot{10, 20} {
		_, err := p.Write(backupAt(slot, slot-10))
		require.NoError(t, err)
	}
	require.NoError(t, m.Corrupt(p.Directory(ours)+"/00000000000000000010.snap", 90, 1))
	made, err := p.Write(backupAt(30, 20))
	require.NoError(t, err)
	require.Len(t, made.Bad, 1)
	require.EqualValues(t, 10, made.Bad[0].Slot)
}

// A directory under the name of a backup, which another program or a person made, is told of and left alone: backups go
// on, and older ones are removed.
func TestADirectoryWithTheNameOfABackupHindersNone(t *testing.T) {
	p := store.Place{FS: vfs.NewOS(t.TempDir()), Dir: "far", Keep: 2}
	foreign := p.File(ours, 5)
	require.NoError(t, p.FS.MkdirAll(foreign+"/inner"))
	for slot := paxos.Slot(10); slot <= 40; slot += 10 {
		made, err := p.Write(backupAt(slot, slot-10))
		require.NoError(t, err)
		require.NoError(t, made.Unpruned)
		require.Len(t, made.Bad, 1)
		require.Equal(t, foreign, made.Bad[0].File)
		require.ErrorContains(t, made.Bad[0].Err, foreign+": is a directory")
	}
	names, err := p.FS.ReadDir(p.Directory(ours))
	require.NoError(t, err)
	require.Equal(t, []string{"00000000000000000005.snap", "00000000000000000030.snap", "00000000000000000040.snap", "LOCK"}, names)
}
