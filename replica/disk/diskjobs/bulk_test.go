package diskjobs_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/disk/diskjobs"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/snapshot"
	"github.com/chubbycell/chubby/wal/vfs"
)

// machine is a disk with a store and its bulk jobs.
type machine struct {
	mem  *vfs.Mem
	st   *store.Store
	lane diskjobs.Bulk
	told []driver.SnapshotID
}

func newMachine(t *testing.T) *machine {
	m := &machine{mem: vfs.NewMem()}
	var err error
	m.st, _, _, err = store.Open(m.mem, "cell", store.Options{ChunkSize: 100, Salt: func() uint64 { return 1 }})
	require.NoError(t, err)
	m.lane = diskjobs.Bulk{Snapshots: m.st.Snapshots(), OnPublished: func(id driver.SnapshotID) { m.told = append(m.told, id) }}
	return m
}

func rowsOf(n int) db.View {
	d := db.New()
	tx := d.Begin()
	for i := range n {
		tx.Put(fmt.Sprintf("key %d", i), "value")
	}
	tx.Commit()
	return d.View()
}

func write(slot paxos.Slot) driver.WriteJob {
	return driver.WriteJob{
		Handle: paxos.Handle{Slot: slot, Members: []paxos.NodeID{1, 2, 3}, Epoch: 2},
		Rows:   rowsOf(int(slot)),
	}
}

// read is a piece as a peer would be given it.
func (m *machine) read(ask driver.Ask, n int) driver.ReadDone {
	return m.lane.Do(driver.ReadJob{To: 3, Ask: ask, Bytes: n}).(driver.ReadDone)
}

func TestSnapshotsAreWrittenPrunedAndTold(t *testing.T) {
	m := newMachine(t)
	require.Equal(t, driver.WriteDone{}, m.lane.Do(write(10)), "one is not enough to drop anything")
	require.Equal(t, driver.WriteDone{Floor: 11}, m.lane.Do(write(20)))
	require.Equal(t, driver.WriteDone{Floor: 21}, m.lane.Do(write(30)))
	require.Len(t, m.told, 3)
	require.EqualValues(t, 30, m.told[2].Handle.Slot)
	done := m.lane.Do(write(30)).(driver.WriteDone)
	require.Error(t, done.Err, "not newer")
	require.Zero(t, done.Floor)
}

func TestASnapshotGoesFromLaneToLane(t *testing.T) {
	from, to := newMachine(t), newMachine(t)
	from.lane.Do(write(10))
	piece := from.read(driver.Ask{Slot: 10}, 64).Piece
	require.EqualValues(t, 10, piece.ID.Handle.Slot)
	for {
		require.Empty(t, to.told)
		done := to.lane.Do(driver.PutJob{Piece: piece}).(driver.PutDone)
		require.NoError(t, done.Err)
		require.Equal(t, piece.ID, done.ID)
		if done.Rows != nil {
			require.Equal(t, rowsOf(10).Checksum(), done.Rows.Checksum())
			break
		}
		piece = from.read(driver.Ask{ID: piece.ID, Offset: done.Next}, 64).Piece
	}
	require.Equal(t, from.told, to.told)
	require.Equal(t, driver.WriteDone{Floor: 11}, to.lane.Do(write(12)), "it counts as one of two")
}

// A source may have a snapshot that is good by its file and whose rows do not load.
// The replica that fetches it loses nothing of its own to it.
func TestAFetchedSnapshotWhoseRowsDoNotLoadTakesNoOthersPlace(t *testing.T) {
	from, to := vfs.NewMem(), newMachine(t)
	snaps, _, err := snapshot.Open(from, "snapshots", snapshot.Options{})
	require.NoError(t, err)
	id, err := snaps.Write(snapshot.Handle{Slot: 30, Members: []snapshot.NodeID{1, 2, 3}}, func(w io.Writer) error {
		_, err := io.WriteString(w, "no rows at all")
		return err
	})
	require.NoError(t, err)
	data, err := snaps.ReadChunk(id, 0, int(id.Size))
	require.NoError(t, err)

	to.lane.Do(write(10))
	to.lane.Do(write(20))
	done := to.lane.Do(driver.PutJob{Piece: driver.Piece{
		ID:   driver.SnapshotID{Handle: paxos.Handle{Slot: 30, Members: []paxos.NodeID{1, 2, 3}}, Size: id.Size, Sum: id.Sum},
		Data: string(data),
	}}).(driver.PutDone)
	require.ErrorIs(t, done.Err, snapshot.ErrDamaged)
	require.Zero(t, done.Floor)
	require.EqualValues(t, 20, to.read(driver.Ask{Slot: 1}, 1<<20).Piece.ID.Handle.Slot, "nor is it passed on")
	require.EqualValues(t, 11, to.st.Snapshots().Floor(), "the two before are both there")
}

func TestWhatALaneDoesNotHaveIsNoPiece(t *testing.T) {
	m := newMachine(t)
	require.Empty(t, m.read(driver.Ask{Slot: 1}, 64).Piece)
	m.lane.Do(write(10))
	id := m.told[0]
	require.Empty(t, m.read(driver.Ask{Slot: 11}, 64).Piece, "too old to help")
	require.NotEmpty(t, m.read(driver.Ask{ID: id, Offset: 5}, 64).Piece.Data)
	other := id
	other.Sum++
	ask := driver.Ask{ID: other}
	require.Equal(t, driver.ReadDone{To: 3, Ask: ask}, m.read(ask, 64))
	m.lane.Do(write(20))
	m.lane.Do(write(30))
	require.Empty(t, m.read(driver.Ask{ID: id, Offset: 5}, 64).Piece, "it was pruned")
	require.NoError(t, m.mem.Corrupt("cell/snapshots/00000000000000000030.snap", 80, 1))
	bad := map[paxos.Slot]error{}
	m.lane.OnUnreadable = func(id driver.SnapshotID, err error) { bad[id.Handle.Slot] = err }
	require.Empty(t, m.read(driver.Ask{Slot: 1}, 1<<20).Piece, "it is bad")
	require.Len(t, bad, 1)
	require.ErrorIs(t, bad[30], snapshot.ErrDamaged)
	require.EqualValues(t, 20, m.read(driver.Ask{Slot: 1}, 1<<20).Piece.ID.Handle.Slot, "and not the latest any more")
}

func TestATransferThatGoesWrongIsGivenUp(t *testing.T) {
	from, to := newMachine(t), newMachine(t)
	from.lane.Do(write(10))
	piece := from.read(driver.Ask{Slot: 1}, 1<<20).Piece
	bad := piece
	bad.Data = piece.Data[:90] + "?" + piece.Data[91:]
	done := to.lane.Do(driver.PutJob{Piece: bad}).(driver.PutDone)
	require.Error(t, done.Err)
	require.Nil(t, done.Rows)
	leftovers := func() (n int) {
		names, err := to.mem.ReadDir("cell/snapshots")
		require.NoError(t, err)
		return len(names)
	}
	require.Equal(t, 1, leftovers(), "the lock alone")
	half := piece
	half.Data = piece.Data[:150]
	require.NoError(t, to.lane.Do(driver.PutJob{Piece: half}).(driver.PutDone).Err)
	require.Equal(t, 2, leftovers())
	require.Equal(t, driver.DropDone{}, to.lane.Do(driver.DropJob{}))
	require.Equal(t, 1, leftovers())
	require.NotNil(t, to.lane.Do(driver.PutJob{Piece: piece}).(driver.PutDone).Rows)
}

// The owner hears whether old snapshots went: while they stay, nothing of the log may go.
func TestTheOwnerHearsWhetherOldSnapshotsWent(t *testing.T) {
	m := newMachine(t)
	var told []error
	m.lane.OnPruned = func(err error) { told = append(told, err) }
	m.lane.Do(write(10))
	m.lane.Do(write(20))
	m.mem.SetFault(func(c vfs.Call) vfs.Fault {
		if c.Op == vfs.OpRemove {
			return vfs.Fault{Err: vfs.ErrIO}
		}
		return vfs.Fault{}
	})
	require.Equal(t, driver.WriteDone{}, m.lane.Do(write(30)), "the snapshot is written")
	m.mem.SetFault(nil)
	require.Equal(t, driver.WriteDone{Floor: 31}, m.lane.Do(write(40)))
	require.Len(t, told, 4)
	require.ErrorIs(t, told[2], vfs.ErrIO)
	require.NoError(t, errors.Join(told[0], told[1], told[3]))
}
