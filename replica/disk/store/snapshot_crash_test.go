package store_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/wal/vfs"
)

// keeper is a replica that votes, takes snapshots, is given some, and cuts its
// log. It remembers what it was told is durable.
type keeper struct {
	votes     map[paxos.Slot]paxos.Voted // synced
	confirmed paxos.Slot                 // snapshot
	next      paxos.Slot
	source    *rig // a store with a snapshot of slot 40
}

// life votes in some slots, with a snapshot after every third; in the middle a
// snapshot from elsewhere jumps over what was voted.
func (k *keeper) life(g *rig) error {
	rs := []paxos.Record{paxos.Booted{Boot: g.rec.Boot + 1}}
	if g.rec.Promise.Less(b22) {
		rs = append(rs, paxos.Promised{Ballot: b22})
	}
	if err := k.write(g, rs...); err != nil {
		return err
	}
	for i := range 12 {
		if i == 7 && k.next < 40 {
			if err := k.fetch(g); err != nil {
				return err
			}
		}
		slot := k.next
		k.next++
		if err := k.write(g, voted(slot, b22), paxos.Settled{Slots: paxos.Range{From: slot, To: slot + 1}}); err != nil {
			return err
		}
		k.votes[slot] = voted(slot, b22)
		if i%3 == 2 {
			if err := k.snap(g, slot); err != nil {
				return err
			}
		}
	}
	return nil
}

func (k *keeper) write(g *rig, rs ...paxos.Record) error {
	if err := g.append(rs...); err != nil {
		return err
	}
	return g.s.Sync()
}

func (k *keeper) snap(g *rig, slot paxos.Slot) error {
	if _, err := g.s.Snapshots().Write(handleAt(slot), rowsAt(slot).View()); err != nil {
		return err
	}
	return k.published(g, slot)
}

func (k *keeper) published(g *rig, slot paxos.Slot) error {
	k.confirmed = slot
	if err := g.s.Snapshots().Prune(); err != nil {
		return err
	}
	return g.s.Truncate(g.s.Snapshots().Floor())
}

func (k *keeper) fetch(g *rig) error {
	id, _ := k.source.s.Snapshots().Latest()
	for off := int64(0); off < id.Size; {
		piece, err := k.source.s.Snapshots().Read(id, off, 90)
		if err != nil {
			return err
		}
		if off, err = g.s.Snapshots().Put(id, off, piece); err != nil {
			return err
		}
	}
	got, err := g.s.Snapshots().Commit()
	if err != nil {
		return err
	}
	k.next = got.Handle.Slot + 1
	return k.published(g, got.Handle.Slot)
}

// check asks that snapshot and log together hold all that was confirmed.
func (k *keeper) check(t *testing.T, rec store.Recovered) {
	t.Helper()
	at := rec.Snapshot.Slot
	require.GreaterOrEqual(t, at, k.confirmed)
	rows := db.New()
	if at > 0 {
		require.Equal(t, handleAt(at), rec.Snapshot)
		rows = rec.Rows
	}
	require.Equal(t, rowsAt(at).Checksum(), rows.Checksum())
	require.LessOrEqual(t, rec.Floor, at+1)
	have := map[paxos.Slot]paxos.Record{}
	for _, r := range rec.Records {
		if v, ok := r.(paxos.Voted); ok {
			have[v.Slot] = v
			k.votes[v.Slot] = v // it may have reached the disk unseen
			k.next = max(k.next, v.Slot+1)
		}
	}
	for slot, v := range k.votes {
		if slot >= rec.Floor {
			require.Equal(t, v, have[slot])
		}
	}
	k.confirmed, k.next = at, max(k.next, at+1)
}

// A life with snapshots ends at each of its calls, and the next two at one of
// theirs: what snapshot and log hold together has no gap, and is nothing else
// than what was written.
func TestDeathAtEveryCallOfALifeWithSnapshots(t *testing.T) {
	source := busy(t)
	for _, c := range []struct {
		name    string
		segment int64
		crash   func(*vfs.Mem, uint64)
	}{
		{"power cut, small segments", 1, func(m *vfs.Mem, seed uint64) { m.Crash(vfs.Seeded(seed)) }},
		{"power cut", 300, func(m *vfs.Mem, seed uint64) { m.Crash(vfs.Seeded(seed)) }},
		{"killed", 300, func(m *vfs.Mem, _ uint64) { m.Kill() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			for n := 1; !dieWithSnapshots(t, source, c.segment, n, c.crash); n++ {
				require.Less(t, n, 2000)
			}
		})
	}
}

// dieWithSnapshots says that the first life came to its end.
func dieWithSnapshots(t *testing.T, source *rig, segment int64, n int, crash func(*vfs.Mem, uint64)) (whole bool) {
	g := &rig{m: vfs.NewMem(), o: store.Options{SegmentSize: segment, ChunkSize: 100, Salt: salts(uint64(n))}}
	k := &keeper{votes: map[paxos.Slot]paxos.Voted{}, next: 1, source: source}
	for again := range uint64(3) {
		at := n
		if again > 0 {
			at = 1 + (n*7+int(again)*13)%200
		}
		seed := uint64(n)*3 + again
		g.m.SetFault(func(vfs.Call) vfs.Fault {
			if at--; at == 0 {
				crash(g.m, seed)
			}
			return vfs.Fault{}
		})
		err := g.tryOpen()
		if err == nil {
			k.check(t, g.rec)
			err = k.life(g)
		}
		require.True(t, err == nil || errors.Is(err, vfs.ErrCrashed), "%v", err)
		if err == nil {
			whole = whole || again == 0
			crash(g.m, seed+1)
		}
	}
	g.m.SetFault(nil)
	g.m.Crash(vfs.Seeded(uint64(n)))
	g.open(t)
	k.check(t, g.rec)
	return whole
}

// A snapshot that fails leaves the rest as it was, and the log whole.
func TestASnapshotThatFailsCutsNothing(t *testing.T) {
	for n := 1; n < 30; n++ {
		g := busy(t)
		calls := n
		g.m.SetFault(func(c vfs.Call) vfs.Fault {
			if c.Op.CanChange() {
				calls--
			}
			if calls == 0 {
				return vfs.Fault{Err: vfs.ErrIO, Drop: true}
			}
			return vfs.Fault{}
		})
		_, err := g.s.Snapshots().Write(handleAt(41), rowsAt(41).View())
		g.m.SetFault(nil)
		if err == nil {
			require.Greater(t, n, 5, "it makes some calls")
			break
		}
		require.ErrorIs(t, err, vfs.ErrIO)
		require.Equal(t, paxos.Slot(31), g.s.Snapshots().Floor())
		g.must(t, voted(41, b11))
		g.reopen(t)
		require.GreaterOrEqual(t, g.rec.Snapshot.Slot, paxos.Slot(40))
		require.Equal(t, rowsAt(g.rec.Snapshot.Slot).Checksum(), g.rec.Rows.Checksum())
		require.Equal(t, voted(41, b11), g.rec.Records[len(g.rec.Records)-1])
	}
}
