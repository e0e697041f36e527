// Package diskjobs is synchronous: what the lanes of a replica do with a job of their
// host. The process shell (package replica) calls it on a goroutine, the
// simulator on a coroutine; what it calls are plain calls of a file system.
package diskjobs

import (
	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/driver"
)

// Bulk does the jobs of one process life, one at a time.
type Bulk struct {
	Store *store.Bulk
	// Published is called when a snapshot has become durable, own or from a peer,
	// and before anything stands on it; for observers, may be nil.
	Published func(driver.SnapshotID)
	// Unreadable is called when a snapshot of this replica could not be read, for a peer
	// or after it was installed, with why; for observers, may be nil.
	Unreadable func(driver.SnapshotID, error)
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
	b.Store.Abort()
	return driver.DropDone{}
}

func (b *Bulk) write(j driver.WriteJob) driver.WriteDone {
	id, err := b.Store.Write(j.Handle, j.Rows)
	if err != nil {
		return driver.WriteDone{Err: err}
	}
	b.published(id)
	return driver.WriteDone{Floor: b.prune()}
}

func (b *Bulk) published(id store.ID) {
	if b.Published != nil {
		b.Published(driver.SnapshotID(id))
	}
}

func (b *Bulk) unreadable(id store.ID, err error) {
	if b.Unreadable != nil {
		b.Unreadable(driver.SnapshotID(id), err)
	}
}

// prune returns from where on the log is needed. That pruning failed hurts nobody:
// it is done again after the next one.
func (b *Bulk) prune() paxos.Slot {
	if err := b.Store.Prune(); err != nil {
		return 0
	}
	return b.Store.Floor()
}

// read answers with no data where there is no such snapshot, or where it turned
// out unusable.
func (b *Bulk) read(j driver.ReadJob) driver.ReadDone {
	done := driver.ReadDone{To: j.To, Ask: j.Ask}
	id := store.ID(j.Ask.ID)
	if j.Ask.ID.IsZero() {
		latest, ok := b.Store.Latest()
		if !ok || latest.Handle.Slot < j.Ask.Slot {
			return done
		}
		id = latest
	}
	data, err := b.Store.Read(id, j.Ask.Offset, j.Bytes)
	if err != nil {
		b.unreadable(id, err)
		return done
	}
	done.Piece = driver.Piece{ID: driver.SnapshotID(id), Offset: j.Ask.Offset, Data: string(data)}
	return done
}

// put ends a transfer with the last piece: publish, and load what the replica
// goes on with. One that fails is given up.
func (b *Bulk) put(p driver.Piece) driver.PutDone {
	done := driver.PutDone{ID: p.ID}
	done.Next, done.Err = b.Store.Put(store.ID(p.ID), p.Offset, []byte(p.Data))
	if done.Err == nil && done.Next == p.ID.Size {
		done.Rows, done.Floor, done.Err = b.install()
	}
	if done.Err != nil {
		b.Store.Abort()
	}
	return done
}

// install loads the rows before any older snapshot goes: nobody has loaded them
// here yet, and where they do not, those are as good as before.
func (b *Bulk) install() (*db.DB, paxos.Slot, error) {
	id, err := b.Store.Commit()
	if err != nil {
		return nil, 0, err
	}
	b.published(id)
	rows, err := b.Store.Rows(id.Handle)
	if err != nil {
		b.unreadable(id, err)
		return nil, 0, err
	}
	return rows, b.prune(), nil
}
