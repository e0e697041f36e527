package diskjobs

import (
	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/driver"
)

// Bulk does the jobs of one process life, one at a time.
type Bulk struct {
	Snapshots *store.Snapshots
	// OnPublished is called when a snapshot has become durable, own or from a peer, and
	// before anything depends on it. It may be nil.
	OnPublished func(driver.SnapshotID)
	// OnUnreadable is called with the error when a snapshot of this replica could not be
	// read, for a peer or after it was installed. It may be nil.
	OnUnreadable func(driver.SnapshotID, error)
	// OnPruned is called with the outcome of each attempt to remove old snapshots, nil if it succeeded. While
	// they stay, the log stays too. It may be nil.
	OnPruned func(error)
}

// Do does one job and says how it ended.
func (b *Bulk) Do(j driver.BulkJob) driver.BulkResult {
	switch j := j.(type) {
	case driver.WriteJob:
		return b.write(j)
	case driver.ReadJob:
		return b.read(j)
	case driver.PutJob:
		return b.put(j.Piece)
	}
	b.Snapshots.Abort()
	return driver.DropDone{}
}

func (b *Bulk) write(j driver.WriteJob) driver.WriteDone {
	id, err := b.Snapshots.Write(j.Handle, j.Rows)
	if err != nil {
		return driver.WriteDone{Err: err}
	}
	b.onPublished(id)
	return driver.WriteDone{Floor: b.prune()}
}

func (b *Bulk) onPublished(id store.ID) {
	if b.OnPublished != nil {
		b.OnPublished(driver.SnapshotID(id))
	}
}

func (b *Bulk) onUnreadable(id store.ID, err error) {
	if b.OnUnreadable != nil {
		b.OnUnreadable(driver.SnapshotID(id), err)
	}
}

// prune removes old snapshots and returns the slot from which on the log is needed. A
// failure does no harm: the next snapshot prunes again.
func (b *Bulk) prune() paxos.Slot {
	err := b.Snapshots.Prune()
	if b.OnPruned != nil {
		b.OnPruned(err)
	}
	if err != nil {
		return 0
	}
	return b.Snapshots.Floor()
}

// read answers with no data where there is no such snapshot, or where it turned
// out unusable.
func (b *Bulk) read(j driver.ReadJob) driver.ReadDone {
	done := driver.ReadDone{To: j.To, Ask: j.Ask}
	id := store.ID(j.Ask.ID)
	if j.Ask.ID.IsZero() {
		latest, ok := b.Snapshots.Latest()
		if !ok || latest.Handle.Slot < j.Ask.Slot {
			return done
		}
		id = latest
	}
	data, err := b.Snapshots.Read(id, j.Ask.Offset, j.Bytes)
	if err != nil {
		b.onUnreadable(id, err)
		return done
	}
	done.Piece = driver.Piece{ID: driver.SnapshotID(id), Offset: j.Ask.Offset, Data: string(data)}
	return done
}

// put writes a piece. The last one ends the transfer: the snapshot is published, and its
// rows are loaded. A transfer that fails is given up.
func (b *Bulk) put(p driver.Piece) driver.PutDone {
	done := driver.PutDone{ID: p.ID}
	done.Next, done.Err = b.Snapshots.Put(store.ID(p.ID), p.Offset, []byte(p.Data))
	if done.Err == nil && done.Next == p.ID.Size {
		done.Rows, done.Floor, done.Err = b.install()
	}
	if done.Err != nil {
		b.Snapshots.Abort()
	}
	return done
}

// install loads the rows before older snapshots are removed: this process has not loaded
// them yet, and if they do not load, the older snapshots are still needed.
func (b *Bulk) install() (*db.DB, paxos.Slot, error) {
	id, err := b.Snapshots.Commit()
	if err != nil {
		return nil, 0, err
	}
	b.onPublished(id)
	rows, err := b.Snapshots.Rows(id.Handle)
	if err != nil {
		b.onUnreadable(id, err)
		return nil, 0, err
	}
	return rows, b.prune(), nil
}
