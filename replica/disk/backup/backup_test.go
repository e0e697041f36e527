package backup_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/disk/backup"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/snapshot"
	"github.com/chubbycell/chubby/wal/vfs"
)

// save writes a backup of the rows as they are, and returns its file.
func (m *machine) save(p store.Place) string {
	h, view := m.h.Core().Snapshot()
	cell, ok := rows.CellID(view)
	require.True(m.t, ok)
	_, err := p.Write(store.Backup{Handle: h, Rows: view, Cell: cell})
	require.NoError(m.t, err)
	names, err := p.FS.ReadDir(p.Directory(cell))
	require.NoError(m.t, err)
	return p.Directory(cell) + "/" + names[0]
}

func restoration(members ...paxos.NodeID) backup.Restoration {
	return backup.Restoration{Members: members, Secret: [32]byte{9}, Nonce: api.Nonce{9, 9}, Lease: longest}
}

// A cell is lost after a backup, and another is made of it: files are as they were,
// and nothing that the old cell gave out, before the backup or after, is worth
// anything, or comes again.
func TestACellIsRestoredFromABackup(t *testing.T) {
	mem := vfs.NewMem()
	old := start(t, mem, "old", 1)
	old.serve()
	ann := old.open(1)
	f := old.file(ann, "f")
	old.must(ann, api.SetContents{Handle: f, Contents: "kept"})
	_, held := old.take(ann, f)
	old.must(ann, api.Put{Key: "k", Value: "kept"})
	file := old.save(store.Place{FS: mem, Dir: "far", ChunkSize: 100})

	old.must(ann, api.SetContents{Handle: f, Contents: "lost"})
	bob := old.open(2)
	g := old.file(bob, "g")
	lostGen, lost := old.take(bob, g)
	require.NoError(t, old.st.Close())

	b, err := backup.Load(mem, file)
	require.NoError(t, err)
	s := b.Summary()
	require.Equal(t, []any{uint64(1), 1, 1}, []any{s.Sessions, s.Locks, s.Rows})
	require.Contains(t, file, s.Cell)
	made, err := b.Restore(restoration(5))
	require.NoError(t, err)
	require.NoError(t, made.Write(mem, "new", options()))
	require.ErrorIs(t, made.Write(mem, "new", options()), store.ErrNotEmpty)

	m := start(t, mem, "new", 5)
	for m.epoch() <= api.Epoch(made.Handle.Epoch) {
		m.pass(50 * time.Millisecond)
	}
	for _, s := range []api.SessionID{ann, bob} { // the one is in the backup, the other is not
		require.Equal(t, api.OldEpoch, m.ask(api.Request{Session: s, Epoch: 1, Op: api.KeepAlive{Now: true}}).Code)
		require.Equal(t, api.NoSession, m.ask(api.Request{Session: s, Epoch: m.epoch(), Op: api.KeepAlive{Now: true, Tokens: []api.Token{f}}}).Code)
	}
	require.Nil(t, m.h.Core().Serving())
	require.GreaterOrEqual(t, m.serve(), longest-time.Second, "leases of the old cell run")
	require.Greater(t, m.epoch(), api.Epoch(rows.Gap))

	cy := m.open(3)
	require.Greater(t, uint64(cy), rows.Gap+uint64(bob))
	for _, token := range []api.Token{f, g} {
		require.Equal(t, api.BadHandle, m.call(cy, api.GetContents{Handle: token}).Code)
	}
	f = m.file(cy, "f")
	require.Equal(t, "kept", m.must(cy, api.GetContents{Handle: f}).Value)
	require.Equal(t, "kept", m.must(cy, api.Get{Key: "k"}).Value)
	require.Equal(t, api.StaleSequencer, m.call(cy, api.CheckSequencer{Handle: f, Sequencer: held}).Code)
	gen, _ := m.take(cy, f)
	require.Greater(t, uint64(gen), rows.Gap+uint64(lostGen))
	require.Equal(t, api.StaleSequencer, m.call(cy, api.CheckSequencer{Handle: f, Sequencer: held}).Code)
	g = m.file(cy, "g")
	m.take(cy, g)
	require.Equal(t, api.Invalid, m.call(cy, api.CheckSequencer{Handle: g, Sequencer: lost}).Code, "of a node that this cell never had")

	again, err := backup.Load(mem, m.save(store.Place{FS: mem, Dir: "far", ChunkSize: 100}))
	require.NoError(t, err)
	require.NotEqual(t, b.Cell, again.Cell)
}

// A restored cell turns out to be wrong when clients have used it, and another one is made of the same backup, or
// of an older one. A sequencer of the first is void in the second, and lower than those of the second.
func TestACellIsRestoredTwiceFromOneBackup(t *testing.T) {
	mem := vfs.NewMem()
	old := start(t, mem, "old", 1)
	old.serve()
	old.file(old.open(1), "f")
	file := old.save(store.Place{FS: mem, Dir: "far"})
	require.NoError(t, old.st.Close())

	restored := func(dir string, secret byte, made time.Time) (*machine, api.SessionID, api.Token) {
		b, err := backup.Load(mem, file)
		require.NoError(t, err)
		r := restoration(1)
		r.Secret, r.Made = [32]byte{secret}, made
		cell, err := b.Restore(r)
		require.NoError(t, err)
		require.NoError(t, cell.Write(mem, dir, options()))
		m := start(t, mem, dir, 1)
		m.serve()
		s := m.open(2)
		return m, s, m.file(s, "f")
	}
	noon := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	first, ann, f := restored("first", 7, noon)
	gen, held := first.take(ann, f)
	require.NoError(t, first.st.Close())

	second, bob, g := restored("second", 8, noon.Add(10*time.Minute))
	now, _ := second.take(bob, g)
	require.Equal(t, api.StaleSequencer, second.call(bob, api.CheckSequencer{Handle: g, Sequencer: held}).Code)
	require.Greater(t, now, gen)
	require.Greater(t, second.epoch(), first.epoch())
	require.Greater(t, second.h.Core().Status().Applied, first.h.Core().Status().Applied)
}

// A clock that is certainly wrong is ignored. Up to the last time that counts, programs without 64-bit integers can
// read the numbers.
func TestWhichTimesOfARestoreCount(t *testing.T) {
	mem := vfs.NewMem()
	old := start(t, mem, "old", 1)
	old.serve()
	file := old.save(store.Place{FS: mem, Dir: "far"})
	begin := func(made time.Time) uint64 {
		b, err := backup.Load(mem, file)
		require.NoError(t, err)
		r := restoration(1)
		r.Made = made
		cell, err := b.Restore(r)
		require.NoError(t, err)
		return cell.Handle.Epoch
	}
	unknown := begin(time.Time{})
	for _, wrong := range []time.Time{time.Unix(0, 0), time.Unix(1<<40, 0)} {
		require.Equal(t, unknown, begin(wrong))
	}
	now, last := begin(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)), begin(time.Date(2125, 12, 31, 0, 0, 0, 0, time.UTC))
	require.Less(t, unknown, now)
	require.Less(t, now, last)
	require.Less(t, last, uint64(1)<<53)
}

// A cell may be restored to other members, and all of them begin alike.
func TestEveryMemberBeginsAlike(t *testing.T) {
	mem := vfs.NewMem()
	old := start(t, mem, "old", 1)
	old.serve()
	b, err := backup.Load(mem, old.save(store.Place{FS: mem, Dir: "far"}))
	require.NoError(t, err)
	made, err := b.Restore(restoration(6, 4, 5))
	require.NoError(t, err)
	require.Equal(t, []paxos.NodeID{4, 5, 6}, made.Handle.Members)
	var sums []db.Sum
	for _, dir := range []string{"4", "5", "6"} {
		require.NoError(t, made.Write(mem, dir, options()))
		st, rec, _, err := store.Open(mem, dir, options())
		require.NoError(t, err)
		require.Equal(t, made.Handle, rec.Snapshot)
		require.Equal(t, made.Handle.Ballot, rec.Promise)
		require.NoError(t, st.Close())
		sums = append(sums, rec.Rows.Checksum())
	}
	require.Equal(t, []db.Sum{sums[0], sums[0], sums[0]}, sums)
}

func TestARestorationSaysAllThatIsWrongWithIt(t *testing.T) {
	require.NoError(t, restoration(1, 2, 3).Validate())
	err := backup.Restoration{Members: []paxos.NodeID{2, 0, 2}, Lease: api.MaxLease + 1}.Validate()
	for _, want := range []string{"member 0", "comes twice", "secret", "nonce", "a lease of"} {
		require.ErrorContains(t, err, want)
	}
	require.ErrorContains(t, restoration().Validate(), "no members")
	many := make([]paxos.NodeID, paxos.MaxMembers+1) // a cell of them could not be served
	for i := range many {
		many[i] = paxos.NodeID(i + 1)
	}
	require.NoError(t, restoration(many[1:]...).Validate())
	require.ErrorContains(t, restoration(many...).Validate(), "65 members; at most 64")
	_, err = backup.Backup{}.Restore(restoration())
	require.Error(t, err, "and nothing is done")
}

// What is no backup of a cell is told apart from a file that is damaged.
func TestWhatNoCellCanBeMadeOf(t *testing.T) {
	mem := vfs.NewMem()
	m := start(t, mem, "old", 1)
	m.serve()
	p := store.Place{FS: mem, Dir: "far", ChunkSize: 100}
	h, view := m.h.Core().Snapshot()
	good := m.save(p)
	_, err := backup.Load(mem, good)
	require.NoError(t, err)

	write := func(cell uint64, h paxos.Handle, change func(tx *db.Txn)) error {
		d := db.New()
		tx := d.Begin()
		for key, value := range view.Ascend("", "") {
			tx.Put(key, value)
		}
		change(tx)
		tx.Commit()
		made, err := p.Write(store.Backup{Handle: h, Rows: d.View(), Cell: cell})
		require.NoError(t, err)
		names, err := mem.ReadDir(p.Directory(cell))
		require.NoError(t, err)
		require.NotZero(t, made)
		_, err = backup.Load(mem, p.Directory(cell)+"/"+names[0])
		return err
	}
	require.NoError(t, write(1, h, func(*db.Txn) {}))
	require.ErrorIs(t, write(2, h, func(tx *db.Txn) { tx.Put("?", "") }), backup.ErrUnfit)
	require.ErrorIs(t, write(5, h, func(tx *db.Txn) { tx.Put("e", "unreadable") }), backup.ErrUnfit)
	later := h
	later.Epoch++
	require.ErrorIs(t, write(3, later, func(*db.Txn) {}), backup.ErrUnfit)
	require.ErrorIs(t, write(4, h, func(tx *db.Txn) {
		for key := range view.Ascend("", "") {
			if k, ok := rows.ParseKey(key); !ok || k.Family != rows.FamilyEpoch && k.Family != rows.FamilyTotals {
				tx.Delete(key)
			}
		}
	}), backup.ErrUnfit)

	require.NoError(t, mem.Corrupt(good, 200, 1))
	_, err = backup.Load(mem, good)
	require.ErrorIs(t, err, snapshot.ErrDamaged)
	_, err = backup.Load(mem, "nowhere")
	require.ErrorIs(t, err, snapshot.ErrDamaged)
}
