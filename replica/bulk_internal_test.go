package replica

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/internal/logtest"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/wal/vfs"
)

// lane is the bulk lane of a replica that does nothing else.
type lane struct {
	mem *vfs.Mem
	log logtest.Log
	r   *Replica
}

func newLane(t *testing.T) *lane {
	l := &lane{mem: vfs.NewMem()}
	st, _, _, err := store.Open(l.mem, "data", store.Options{ChunkSize: 100, Salt: Entropy})
	require.NoError(t, err)
	l.r = &Replica{cfg: Config{Logger: l.log.Logger()}, bulkJobs: make(chan driver.BulkJob), bulkDone: make(chan driver.BulkResult)}
	ended := make(chan struct{})
	go func() {
		l.r.runBulkJobs(st.Snapshots())
		close(ended)
	}()
	t.Cleanup(func() {
		close(l.r.bulkJobs)
		<-ended
		require.NoError(t, st.Close())
	})
	return l
}

func (l *lane) do(j driver.BulkJob) driver.BulkResult {
	l.r.bulkJobs <- j
	return <-l.r.bulkDone
}

func (l *lane) write(slot paxos.Slot) error {
	d := db.New()
	tx := d.Begin()
	tx.Put("key", strings.Repeat("x", 500))
	tx.Commit()
	return l.do(driver.WriteJob{Handle: paxos.Handle{Slot: slot, Members: []paxos.NodeID{1}}, Rows: d.View()}).(driver.WriteDone).Err
}

// isRead reports whether another replica would get a piece of the newest snapshot.
func (l *lane) isRead() bool {
	return l.do(driver.ReadJob{To: 2, Ask: driver.Ask{Slot: 1}, Bytes: 1000}).(driver.ReadDone).Piece.Data != ""
}

// A snapshot that has rotted is told of, with its file, when it is read for another replica.
func TestASnapshotThatCannotBeReadForAnotherIsToldOf(t *testing.T) {
	l := newLane(t)
	require.False(t, l.isRead(), "there is none")
	require.NoError(t, l.write(10))
	require.NoError(t, l.write(20))
	require.True(t, l.isRead())
	require.Empty(t, l.log.String())
	require.NoError(t, l.mem.Corrupt("data/snapshots/00000000000000000020.snap", 300, 1))
	require.False(t, l.isRead())
	require.Regexp(t, `level=WARN msg="a snapshot cannot be read for another replica" .*data/snapshots/0+20.snap: damaged at offset`, l.log.String())
	require.True(t, l.isRead(), "the one before")
	require.Contains(t, l.log.String(), "snapshots are read again")
}

// Old snapshots that cannot be removed are told of, as the log stays with them.
func TestOldSnapshotsThatStayAreToldOf(t *testing.T) {
	l := newLane(t)
	require.NoError(t, l.write(10))
	require.NoError(t, l.write(20))
	l.mem.SetFault(func(c vfs.Call) vfs.Fault {
		if c.Op == vfs.OpRemove {
			return vfs.Fault{Err: vfs.ErrIO}
		}
		return vfs.Fault{}
	})
	require.NoError(t, l.write(30))
	require.Regexp(t, `level=WARN msg="older snapshots stay, and with them the log" .*remove data/snapshots/0+10.snap: input/output error`, l.log.String())
	l.mem.SetFault(nil)
	require.NoError(t, l.write(40))
	require.Contains(t, l.log.String(), "older snapshots are removed again")
}
