package diskjobs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/disk/diskjobs"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/wal/vfs"
)

func TestBackupsAreMadeFoundAndTold(t *testing.T) {
	mem := vfs.NewMem()
	var told []error
	b := diskjobs.Backup{
		Place:  store.Place{FS: mem, Dir: "far"},
		OnDone: func(_ driver.BackupJob, _ store.WriteResult, err error) { told = append(told, err) },
	}
	job := func(slot, after paxos.Slot) driver.BackupJob {
		w := write(slot)
		return driver.BackupJob{Handle: w.Handle, Rows: w.Rows, Cell: 7, After: after}
	}
	require.Equal(t, driver.BackupDone{Slot: 10}, b.Do(job(10, 0)))
	require.Equal(t, driver.BackupDone{Slot: 10, Found: true}, b.Do(job(12, 9)))
	require.NoError(t, mem.Corrupt(b.Place.Directory(7)+"/00000000000000000010.snap", 70, 1))
	require.Equal(t, driver.BackupDone{Slot: 12, Rotten: 1}, b.Do(job(12, 10)))
	mem.SetFault(func(c vfs.Call) vfs.Fault {
		if c.Op == vfs.OpRemove {
			return vfs.Fault{Err: vfs.ErrIO}
		}
		return vfs.Fault{}
	})
	require.Equal(t, driver.BackupDone{Slot: 13, Rotten: 1, Unpruned: true}, b.Do(job(13, 12)))
	mem.SetFault(func(vfs.Call) vfs.Fault { return vfs.Fault{Err: vfs.ErrNoSpace} })
	require.ErrorIs(t, b.Do(job(14, 13)).Err, vfs.ErrNoSpace)
	require.Len(t, told, 5)
	require.Error(t, told[4])
}
