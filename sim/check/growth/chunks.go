package growth

import (
	"strings"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/wal/vfs"
)

// chunked is a snapshot that is being written. The log on the same disk must wait while a
// sync writes it out, so a sync may find at most one chunk and its frame (L2).
type chunked struct {
	vfs.File
	of       *Checker
	id       paxos.NodeID
	unsynced int64
}

// aroundChunk is room for a header and an end, in bytes.
const aroundChunk = 1 << 10

// Chunked wraps a file that replica id creates. If it is a snapshot, it is checked while it
// is written.
func (c *Checker) Chunked(id paxos.NodeID, name string, f vfs.File) vfs.File {
	if !strings.HasSuffix(name, ".tmp") {
		return f
	}
	return &chunked{File: f, of: c, id: id}
}

// WriteAt writes, and checks how much was written since the last sync.
func (f *chunked) WriteAt(p []byte, off int64) (int, error) {
	n, err := f.File.WriteAt(p, off)
	f.unsynced += int64(n)
	if most := int64(f.of.plan.ChunkSize()) + aroundChunk; f.unsynced > most {
		f.of.world.Break("L2", "replica %d has %d bytes of a snapshot to sync at once, bound %d", f.id, f.unsynced, most)
	}
	return n, err
}

// SyncData syncs, and restarts the count.
func (f *chunked) SyncData() error {
	f.unsynced = 0
	return f.File.SyncData()
}

// Sync syncs, and restarts the count.
func (f *chunked) Sync() error {
	f.unsynced = 0
	return f.File.Sync()
}
