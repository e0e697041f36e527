package backups

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/worldtest"
	"github.com/chubbycell/chubby/snapshot"
	"github.com/chubbycell/chubby/wal/vfs"
)

// place is the place of backups of replica 1, where backups of one cell are written and the
// newest two stay. It records which rows the checker has compared.
type place struct {
	worldtest.World
	t        *testing.T
	c        *Checker
	mem      *vfs.Mem
	rows     *db.DB
	cell     uint64
	compared map[paxos.Slot]db.Sum
}

func newPlace(t *testing.T) *place {
	p := &place{World: worldtest.New(t), t: t, rows: db.New(), compared: map[paxos.Slot]db.Sum{}}
	p.c = New(p.World.World, &plan.Plan{}, p)
	p.mem = p.Add(sim.MachineConfig{Process: func() sim.Process { return nil }, Far: &sim.DiskConfig{}}).Far().Mem()
	tx := p.rows.Begin()
	rows.SetSecret(tx, [32]byte{7})
	rows.NextEpoch(tx, 1, rows.Ballot{Round: 1, Node: 1})
	require.Equal(t, api.OK, tree.Make(tx, rows.NextNumber(tx), tree.OpenFounding()).Code)
	tx.Commit()
	p.cell, _ = rows.CellID(p.rows)
	return p
}

func (p *place) CompareRows(_ paxos.NodeID, _ string, s paxos.Slot, sum db.Sum) { p.compared[s] = sum }

// writes makes the product write a backup of a slot.
func (p *place) writes(slot paxos.Slot) store.WriteResult { return p.writesIn(slot, 1) }

// writesIn writes a file that states that epoch; its rows are of epoch 1.
func (p *place) writesIn(slot paxos.Slot, e uint64) store.WriteResult {
	h := paxos.Handle{Slot: slot, Ballot: paxos.Ballot{Round: 1, Node: 1}, Members: []paxos.NodeID{1}, Epoch: e}
	made, err := store.Place{FS: p.mem, Dir: "far", Keep: 2}.Write(store.Backup{Handle: h, Rows: p.rows.View(), Cell: p.cell, After: slot})
	require.NoError(p.t, err)
	return made
}

// counts reports a backup that was made after another one.
func (p *place) counts(made store.WriteResult, after paxos.Slot) {
	p.c.OnBackup(1, driver.BackupJob{Cell: p.cell, After: after}, made, nil)
}

// leaves puts a file into the directory of a cell.
func (p *place) leaves(cell uint64, slot int) {
	dir := store.Place{Dir: "far"}.Directory(cell)
	require.NoError(p.t, p.mem.MkdirAll(dir))
	f, err := p.mem.Create(fmt.Sprintf("%s/%020d.snap", dir, slot))
	require.NoError(p.t, err)
	require.NoError(p.t, f.Close())
}

func TestWhatABackupMustBe(t *testing.T) {
	for name, c := range map[string]struct {
		run    func(p *place)
		breaks string
	}{
		"as it should be":   {func(p *place) { p.counts(p.writes(5), 0); p.counts(p.writes(9), 5); p.counts(p.writes(12), 9) }, ""},
		"it is not written": {func(p *place) { p.c.OnBackup(1, driver.BackupJob{}, store.WriteResult{}, vfs.ErrNoSpace) }, ""},
		"it is not there": {func(p *place) {
			p.counts(store.WriteResult{ID: store.ID{Handle: paxos.Handle{Slot: 5}}}, 0)
		}, "S3: its place has none"},
		"its rows are of another epoch": {func(p *place) { p.counts(p.writesIn(5, 2), 0) }, "S6: the file says epoch 2"},
		"found, and newer": {func(p *place) {
			made := p.writes(5)
			made.Found = true
			p.counts(made, 4)
			require.Equal(p.t, 1, p.c.Found)
		}, ""},
		"found, and recorded": {func(p *place) {
			made := p.writes(5)
			made.Found = true
			p.counts(made, 5)
		}, "S3: never recorded"},
		"beside that of another cell": {func(p *place) { p.leaves(p.cell+1, 4); p.counts(p.writes(5), 0) }, "S3: of other cells"},
		"one of two is gone": {func(p *place) {
			p.counts(p.writes(5), 0)
			made := p.writes(9)
			require.NoError(p.t, p.mem.Remove(fmt.Sprintf("%s/%020d.snap", store.Place{Dir: "far"}.Directory(p.cell), 5)))
			p.counts(made, 5)
		}, "S3: are to be kept"},
		"an old one stays": {func(p *place) {
			p.counts(p.writes(5), 0)
			made := p.writes(9)
			p.leaves(p.cell, 3)
			p.counts(made, 5)
		}, "L2: 3 backups"},
		"an old one stays that cannot be removed": {func(p *place) {
			p.counts(p.writes(5), 0)
			made := p.writes(9)
			p.leaves(p.cell, 3)
			made.Unpruned = vfs.ErrIO
			p.counts(made, 5)
		}, ""},
		"one stays that cannot be read": {func(p *place) {
			p.counts(p.writes(5), 0)
			made := p.writes(9)
			p.leaves(p.cell, 3)
			made.Bad = make([]snapshot.Bad, 1)
			p.counts(made, 5)
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			if c.run(p); c.breaks == "" {
				p.Good()
				return
			}
			id, text, _ := strings.Cut(c.breaks, ": ")
			p.Breaks(id)
			require.Contains(t, p.Failure().Text, text)
		})
	}
}

// The rows of each backup are compared with those after its slot, and Newest is its slot.
func TestRowsOfBackupsAreCompared(t *testing.T) {
	p := newPlace(t)
	_, none := p.c.Latest()
	require.Nil(t, none)
	p.counts(p.writes(5), 0)
	p.counts(p.writes(9), 5)
	p.c.OnBackup(1, driver.BackupJob{}, store.WriteResult{}, vfs.ErrNoSpace)
	sum := p.rows.Checksum()
	require.Equal(t, map[paxos.Slot]db.Sum{5: sum, 9: sum}, p.compared)
	require.Equal(t, []int{2, 0, 1}, []int{p.c.Made, p.c.Found, p.c.Failed})
	id, b := p.c.Latest()
	require.EqualValues(t, 1, id)
	require.EqualValues(t, 9, b.ID.Handle.Slot)
}
