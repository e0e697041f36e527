package driver_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/replica/master/session"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// every is the interval between backups here.
const every = 80 * time.Second

// saved is a backup that a replica was asked for.
type saved struct {
	driver.BackupJob
	by paxos.NodeID
	at time.Time
}

// newBackups is a cell that writes backups; each takes no time.
func newBackups(t *testing.T) *cell {
	g := newCell(t, 3, 1_000_000, func(c *driver.Config) {
		c.BackupEvery, c.Core.Sessions, c.Core.Secret = every, session.DefaultConfig(), [32]byte{1}
	})
	g.save = func(saved) *driver.BackupDone { return nil }
	g.master()
	return g
}

// recorded is what the rows say.
func (g *cell) recorded() rows.Backup { return g.hosts[g.master()-1].Core().Backup() }

func TestTheMasterAndNobodyElseWritesBackups(t *testing.T) {
	g := newBackups(t)
	m, from := g.master(), g.now
	g.pass(every / 8)
	require.Len(t, g.saves, 1, "a cell that has none does not wait for the interval")
	g.pass(10 * every)
	require.InDelta(t, 10, len(g.saves), 1)
	for i, s := range g.saves {
		require.Equal(t, m, s.by)
		cell, ok := rows.CellID(s.Rows)
		require.True(t, ok)
		require.Equal(t, cell, s.Cell)
		require.Equal(t, s.Handle.Epoch, uint64(rows.GetEpoch(s.Rows).Number))
		if i > 0 {
			require.Equal(t, g.saves[i-1].Handle.Slot, s.After)
			gap := s.at.Sub(g.saves[i-1].at)
			require.GreaterOrEqual(t, gap, every)
			require.LessOrEqual(t, gap, every+every/8+time.Second)
		}
	}
	require.Equal(t, g.saves[len(g.saves)-1].Handle.Slot, paxos.Slot(g.recorded().Slot))
	require.EqualValues(t, len(g.saves), g.hosts[m-1].Counters().BackupsWritten)
	require.Less(t, g.saves[0].at.Sub(from), every/8+time.Second)
	require.Empty(t, g.stopped)
}

// Masters that come and go in less than an interval go on with one count: no backup
// is left out, and none is made twice.
func TestBackupsGoOnByWhatIsRecorded(t *testing.T) {
	g := newBackups(t)
	g.pass(every / 8)
	require.Len(t, g.saves, 1)
	from := g.now
	for range 20 {
		g.pass(every / 2)
		old := g.master()
		g.hosts[old-1].Resign(g.now)
		g.act(old)
		g.hosts[old%3].Campaign(g.now)
		g.act(old%3 + 1)
		for range 100 {
			if g.pass(10 * time.Millisecond); g.master() != old {
				break
			}
		}
		require.NotEqual(t, old, g.master())
	}
	for i := 1; i < len(g.saves); i++ {
		gap := g.saves[i].at.Sub(g.saves[i-1].at)
		require.GreaterOrEqual(t, gap, every-time.Second)
		require.LessOrEqual(t, gap, 2*every, "each fail-over loses an eighth at most")
	}
	require.Greater(t, len(g.saves), int(g.now.Sub(from)/(2*every)))
	by := map[paxos.NodeID]bool{}
	for _, s := range g.saves {
		by[s.by] = true
	}
	require.Greater(t, len(by), 1)
}

// A backup that took so long that another master has made, and recorded, a newer one is no
// news: the newest is as old as it was, and the next one is not put off.
func TestABackupThatCameLateIsNoNews(t *testing.T) {
	g := newBackups(t)
	g.pass(every / 8)
	slow := g.master()
	g.hangs = true
	g.pass(every + every/8)
	require.Len(t, g.saves, 2)
	require.Equal(t, slow, g.saves[1].by)
	g.hangs = false
	moves := func(to paxos.NodeID) {
		old := g.master()
		g.hosts[old-1].Resign(g.now)
		g.act(old)
		g.hosts[to-1].Campaign(g.now)
		g.act(to)
		g.pass(time.Second)
		require.Equal(t, to, g.master())
	}
	moves(slow%3 + 1)
	require.Len(t, g.saves, 3, "the next master does not wait for it")
	moves(slow)
	g.pass(every / 2)
	g.hosts[slow-1].BackupDone(g.now, driver.BackupDone{Slot: g.saves[1].Handle.Slot})
	g.act(slow)
	g.pass(every/2 + every/8)
	require.Len(t, g.saves, 4)
	require.LessOrEqual(t, g.saves[3].at.Sub(g.saves[2].at), every+every/8+time.Second)
}

// A backup that was written, and whose master lost its place before that was
// recorded, is found by the next one, and recorded.
func TestABackupThatIsFoundIsRecorded(t *testing.T) {
	g := newBackups(t)
	g.pass(every / 8)
	g.save = func(s saved) *driver.BackupDone { return &driver.BackupDone{Slot: s.Handle.Slot - 1, Found: true} }
	g.pass(2 * every)
	require.Len(t, g.saves, 2)
	require.Equal(t, g.saves[1].Handle.Slot-1, paxos.Slot(g.recorded().Slot))
	require.EqualValues(t, 1, g.hosts[g.master()-1].Counters().BackupsFound)
}

// What fails is tried again, ever more seldom but at least eight times an interval,
// and the replica goes on.
func TestAPlaceThatFailsIsTriedAgain(t *testing.T) {
	g := newBackups(t)
	g.save = func(saved) *driver.BackupDone {
		return &driver.BackupDone{Err: errors.New("the building burns")}
	}
	g.pass(5 * every)
	failed := len(g.saves)
	require.Greater(t, failed, 5*8)
	require.Less(t, failed, 5*8+12)
	require.Zero(t, g.recorded().Slot)
	require.EqualValues(t, failed, g.hosts[g.master()-1].Counters().BackupsFailed)
	g.save = func(saved) *driver.BackupDone { return nil }
	g.pass(every / 4)
	require.Len(t, g.saves, failed+1)
	require.Equal(t, g.saves[failed].Handle.Slot, paxos.Slot(g.recorded().Slot))
	require.Empty(t, g.stopped)
}

// A backup job that hangs holds up nothing but backups: no second job, and all else goes on.
// The age of the newest backup is known to the master alone, and grows while none can be written.
func TestTheMasterKnowsHowOldTheNewestBackupIs(t *testing.T) {
	g := newBackups(t)
	g.pass(3 * every)
	age := func() time.Duration {
		t.Helper()
		for i, h := range g.hosts {
			_, ok := h.BackupAge(g.now)
			require.Equal(t, paxos.NodeID(i+1) == g.master(), ok)
		}
		d, _ := g.hosts[g.master()-1].BackupAge(g.now)
		return d
	}
	require.LessOrEqual(t, age(), every+every/8+time.Second)
	g.save = func(saved) *driver.BackupDone { return &driver.BackupDone{Err: errors.New("full")} }
	g.pass(3 * every)
	require.GreaterOrEqual(t, age(), 3*every)
	g.save = func(saved) *driver.BackupDone { return nil }
	g.pass(every)
	require.LessOrEqual(t, age(), every+every/8+time.Second)
}

func TestAPlaceThatHangsHoldsUpNothing(t *testing.T) {
	g := newBackups(t)
	g.hangs = true
	g.pass(2 * every)
	g.puts(20)
	g.pass(2 * every)
	require.Len(t, g.saves, 1)
	require.Empty(t, g.stopped)
	g.hosts[g.saves[0].by-1].BackupDone(g.now, driver.BackupDone{Slot: g.saves[0].Handle.Slot})
	g.hangs = false
	g.act(g.saves[0].by)
	g.pass(2 * time.Second)
	require.Len(t, g.saves, 2, "it is as old as its rows: the next one is due")
	require.Equal(t, g.saves[0].Handle.Slot, g.saves[1].After)
}

// Rows that are not those of a majority are in no backup.
func TestWrongRowsAreNeverBackedUp(t *testing.T) {
	g := newBackups(t)
	g.pass(every / 8)
	m := g.master()
	g.stray(m)
	g.pass(2 * every)
	require.ErrorIs(t, g.stopped[m], core.ErrMinority)
	require.Greater(t, len(g.saves), 1)
	for _, s := range g.saves[1:] {
		require.NotEqual(t, m, s.by)
	}
	for _, s := range g.saves {
		_, has := s.Rows.Get(rows.UserKey("stray"))
		require.False(t, has)
	}
}

func TestRowsThatChangeWhileTheyAreBackedUpStop(t *testing.T) {
	g := newBackups(t)
	g.save = func(saved) *driver.BackupDone {
		return &driver.BackupDone{Err: fmt.Errorf("writing: %w", db.ErrChanged)}
	}
	m := g.master()
	g.pass(every / 4)
	require.ErrorIs(t, g.stopped[m], core.ErrMemory)
}

func TestWithoutAnIntervalThereAreNoBackups(t *testing.T) {
	g := newCell(t, 3, 1_000_000)
	g.master()
	g.pass(time.Hour)
	require.Empty(t, g.saves)
	require.Zero(t, g.recorded())
	cfg := driver.DefaultConfig()
	cfg.BackupEvery = time.Millisecond
	require.ErrorContains(t, cfg.Validate(), "BackupEvery")
}

// An order has a backup written at once, of rows as they are then, and the interval begins anew; a failure is
// its result, and is tried again as any other.
func TestAnOrderHasABackupWrittenNow(t *testing.T) {
	g := newBackups(t)
	g.pass(every / 8)
	require.Len(t, g.saves, 1)
	m := g.master()
	h := g.hosts[m-1]
	_, ok := g.hosts[m%3].OrderBackup(g.now)
	require.False(t, ok, "another replica is the master")

	n, ok := h.OrderBackup(g.now)
	require.True(t, ok)
	also, ok := h.OrderBackup(g.now)
	require.True(t, ok)
	_, settled, lost := h.BackupOrder(n)
	require.False(t, settled || lost)
	g.act(m)
	g.pass(time.Second)
	require.Len(t, g.saves, 2, "one for both")
	for _, order := range []uint64{n, also} {
		r, settled, lost := h.BackupOrder(order)
		require.True(t, settled && !lost)
		require.NoError(t, r.Err)
		require.Equal(t, g.saves[1].Handle.Slot, r.Slot)
	}
	g.pass(every * 3 / 4)
	require.Len(t, g.saves, 2)
	g.pass(every / 2)
	require.Len(t, g.saves, 3, "an interval after the one that was ordered")

	bad := errors.New("disk full")
	g.save = func(saved) *driver.BackupDone { return &driver.BackupDone{Err: bad} }
	n, _ = h.OrderBackup(g.now)
	g.act(m)
	g.pass(time.Second)
	r, settled, _ := h.BackupOrder(n)
	require.True(t, settled)
	require.ErrorIs(t, r.Err, bad)
}

// One that an earlier master wrote is none that was ordered: it is recorded, and another is written. A master
// that is none any more loses its orders.
func TestAnOrderIsServedByNoOtherBackup(t *testing.T) {
	g := newBackups(t)
	g.pass(every / 8)
	m := g.master()
	h := g.hosts[m-1]
	found := 0
	g.save = func(s saved) *driver.BackupDone {
		if found++; found == 1 {
			return &driver.BackupDone{Slot: s.Handle.Slot, Found: true}
		}
		return nil
	}
	n, ok := h.OrderBackup(g.now)
	require.True(t, ok)
	g.act(m)
	g.pass(5 * time.Second)
	require.Equal(t, 2, found)
	r, settled, _ := h.BackupOrder(n)
	require.True(t, settled)
	require.False(t, r.Found)

	n, ok = h.OrderBackup(g.now)
	require.True(t, ok)
	h.Resign(g.now)
	g.act(m)
	_, settled, lost := h.BackupOrder(n)
	require.True(t, lost && !settled)
}

// What a deposed master writes, which does not know that it is deposed, serves no order: clients may have had answers
// of the next master before the order came.
func TestADeposedMasterServesNoOrder(t *testing.T) {
	g := newBackups(t)
	g.pass(every / 8)
	m := g.master()
	h, next := g.hosts[m-1], g.hosts[m%3]
	g.sums = m
	next.Campaign(g.now)
	g.act(m%3 + 1)
	for i := 0; next.Core().Serving() == nil; i++ {
		require.Less(t, i, 100)
		g.pass(10 * time.Millisecond)
	}
	n, ok := h.OrderBackup(g.now)
	require.True(t, ok, "it does not know")
	g.act(m)
	g.pass(100 * time.Millisecond)
	require.Equal(t, m, g.saves[len(g.saves)-1].by)
	require.Less(t, g.saves[len(g.saves)-1].Handle.Epoch, uint64(next.Core().Serving().Epoch))
	_, settled, lost := h.BackupOrder(n)
	require.False(t, settled || lost, "it may be master, as far as it knows")
	g.sums = 0
	g.pass(5 * time.Second)
	_, settled, lost = h.BackupOrder(n)
	require.True(t, lost && !settled)
}

// A job that ends when its master is none any more, and found the backup of another, serves no order.
func TestAnOrderThatIsLostStaysLost(t *testing.T) {
	g := newBackups(t)
	g.pass(every / 8)
	m := g.master()
	h := g.hosts[m-1]
	g.hangs = true
	n, ok := h.OrderBackup(g.now)
	require.True(t, ok)
	g.act(m)
	g.pass(time.Second)
	require.Len(t, g.saves, 2)
	h.Resign(g.now)
	g.act(m)
	h.BackupDone(g.now, driver.BackupDone{Slot: g.saves[1].Handle.Slot + 9, Found: true})
	g.act(m)
	_, settled, lost := h.BackupOrder(n)
	require.True(t, lost && !settled)
}
