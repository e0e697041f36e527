package cell

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/disk/backup"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/replica/master/session"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/restore"
	"github.com/chubbycell/chubby/wal/vfs"
)

// backedCell is a cell that programs of locks have used for some seconds, with
// backups of it.
func backedCell(t *testing.T, seed uint64) *seedRun {
	c := someCell(t, seed, func(p *plan.Plan) {
		p.Workload, p.Driver.BackupEvery = "locks", time.Second
		p.Driver.Core.Sessions = session.Config{LeaseMin: time.Second, LeaseMax: 3 * time.Second, KeepAliveRate: 100}
		p.Backups = plan.BackupPlan{Far: sim.DiskConfig{Sync: sim.Table{time.Millisecond}}, Reborn: true}
	})
	require.Nil(t, c.world.Failure())
	require.Greater(t, c.backups.Made, 1)
	return c
}

func broke(t *testing.T, c *seedRun, id, text string) {
	t.Helper()
	require.NotNil(t, c.world.Failure())
	require.Equal(t, id, c.world.Failure().ID, c.world.Failure().Text)
	require.Contains(t, c.world.Failure().Text, text)
}

// A backup is read back: its rows must be those that the agreement checker knows for its slot.
func TestABackupIsReadBackAsItCounts(t *testing.T) {
	of := func(slot paxos.Slot) store.WriteResult {
		return store.WriteResult{ID: store.ID{Handle: paxos.Handle{Slot: slot}}}
	}
	c := backedCell(t, 1)
	id, _ := c.backups.Latest()
	c.backups.OnBackup(id, driver.BackupJob{}, of(c.backups.Newest), nil)
	require.Nil(t, c.world.Failure())

	c = backedCell(t, 2)
	id, _ = c.backups.Latest()
	f := c.watch.Slot(c.backups.Newest)
	require.True(t, f.Summed)
	f.Sum = db.Sum{}
	c.backups.OnBackup(id, driver.BackupJob{}, of(c.backups.Newest), nil)
	broke(t, c, "S6", "backs up")
}

func TestL1APlaceThatWorksGetsABackup(t *testing.T) {
	c := backedCell(t, 3)
	c.awaitBackup()
	require.Nil(t, c.world.Failure())
	for _, m := range c.machines.Replicas {
		m.Far().Mem().SetFault(func(vfs.Call) vfs.Fault { return vfs.Fault{Err: vfs.ErrNoSpace} })
	}
	c.world.RunFor(time.Second)
	c.awaitBackup()
	broke(t, c, "L1", "no backup was made")
}

// Rows may shrink after a backup of them has begun: its place has the time that it needs all the same.
func TestAPlaceHasTimeForTheLargestBackupThatHasBegun(t *testing.T) {
	c := backedCell(t, 3)
	require.Positive(t, c.backups.Largest)
	now := c.placeLimit()
	c.backups.Largest += 100 << 20
	require.Greater(t, c.placeLimit(), now)
}

// The new cell serves what the backup has, and a check fails if it does not.
func TestACellIsRebornAndLookedAt(t *testing.T) {
	for name, spoil := range map[string]func(r *restore.Cell){
		"":                       func(*restore.Cell) {},
		"where the backup has 1": func(r *restore.Cell) { r.Rows["never"] = "was" },
		"cannot be opened":       func(r *restore.Cell) { r.Stat["/never"] = api.Stat{Instance: 5} },
		"in the backup {":        func(r *restore.Cell) { s := r.Stat["/"]; s.ACL++; r.Stat["/"] = s },
		"holds":                  func(r *restore.Cell) { r.Text["/acl/everybody"] = "other" },
		"serves in epoch":        func(r *restore.Cell) { r.Epoch++ },
		"may have done so":       func(r *restore.Cell) { r.Above = 1 << 60 },
		"may have given":         func(r *restore.Cell) { r.Above, r.Stat = 1<<60, nil },
		"while a lease of":       func(r *restore.Cell) { r.Lease = time.Hour },
		"has not served":         func(r *restore.Cell) { r.World.Net().Isolate(sim.FirstClient) },
	} {
		c := backedCell(t, 4)
		_, b := c.backups.Latest()
		r := restore.New(c.old(), b)
		require.NotNil(t, r)
		spoil(r)
		r.Run()
		if name == "" {
			require.Nil(t, c.world.Failure())
			require.True(t, r.Ended)
			continue
		}
		broke(t, c, c.world.Failure().ID, name)
	}
	c := backedCell(t, 5)
	c.restoreBackup()
	require.Nil(t, c.world.Failure())
	require.True(t, c.reborn)
	c.backups.Newest++
	c.restoreBackup()
	broke(t, c, "S3", "at no place")
}

// If a directory has more entries than one answer can hold, the check reads them one by one.
func TestACellOfManyRowsIsReborn(t *testing.T) {
	c := backedCell(t, 4)
	_, b := c.backups.Latest()
	tx := b.Rows.Begin()
	for i := range 5 {
		tx.Put(rows.UserKey(fmt.Sprint("large ", i)), strings.Repeat("x", 1<<18))
	}
	tx.Commit()
	r := restore.New(c.old(), b)
	require.Nil(t, c.world.Failure())
	require.True(t, r.Long())
	r.Run()
	require.Nil(t, c.world.Failure())
	require.True(t, r.Ended)
}

// A new cell must not give out a number that the old cell may have given out.
func TestWhatARebornCellMustNotHave(t *testing.T) {
	c := backedCell(t, 4)
	_, b := c.backups.Latest()
	was := c.old().Lived(b)
	require.GreaterOrEqual(t, was.Lease, c.plan.Driver.Core.Sessions.LeaseMax)
	restoration := backup.Restoration{Members: []paxos.NodeID{1}, Secret: [32]byte{1, 1}, Nonce: api.Nonce{1, 1}, Lease: time.Second}
	made, err := b.Restore(restoration)
	require.NoError(t, err)
	require.Equal(t, model.Finding{}, was.ComesBack(made))
	id, _ := rows.CellID(made.Rows.View())
	for text, spoil := range map[string]func(*restore.Former, *backup.Restored){
		"has the secret":      func(f *restore.Former, _ *backup.Restored) { f.Cell = id },
		"may have come to":    func(f *restore.Former, _ *backup.Restored) { f.Number = 1 << 60 },
		"Epoch:1152921504606": func(f *restore.Former, _ *backup.Restored) { f.Epoch = 1 << 60 },
		"after":               func(_ *restore.Former, m *backup.Restored) { m.Handle.Slot = 5 },
		"begins with":         func(_ *restore.Former, m *backup.Restored) { m.Handle.Ballot.Round = 5 },
	} {
		f, m := was, made
		spoil(&f, &m)
		require.Contains(t, f.ComesBack(m).Text, text)
	}
	tx := made.Rows.Begin()
	rows.SetBackup(tx, rows.Backup{Slot: 7})
	tx.Commit()
	require.Contains(t, was.ComesBack(made).Text, "a backup of the old one")
}
