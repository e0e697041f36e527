// Package dyingdisk is concurrent, and test support: a disk of which one part hangs and another fails.
package dyingdisk

import (
	"strings"
	"sync"

	"github.com/chubbycell/chubby/wal/vfs"
)

// Disk is one whose first sync of a snapshot hangs until Release. From then on syncs of other files fail. It is
// safe for concurrent use.
type Disk struct {
	vfs.FS  // set before the first call
	once    sync.Once
	hangs   chan struct{} // closed when a sync of a snapshot hangs
	release chan struct{}
	free    func()
}

// New returns a Disk in front of fsys, which may be nil until FS is set.
func New(fsys vfs.FS) *Disk {
	d := &Disk{FS: fsys, hangs: make(chan struct{}), release: make(chan struct{})}
	d.free = sync.OnceFunc(func() { close(d.release) })
	return d
}

// IsHanging reports whether a sync of a snapshot hangs, or has hung.
func (d *Disk) IsHanging() bool {
	select {
	case <-d.hangs:
		return true
	default:
		return false
	}
}

// Release lets the syncs that hang go on. It may be called again.
func (d *Disk) Release() { d.free() }

// Open implements vfs.FS.
func (d *Disk) Open(name string) (vfs.File, error) {
	f, err := d.FS.Open(name)
	return d.wrap(name, f, err)
}

// Create implements vfs.FS.
func (d *Disk) Create(name string) (vfs.File, error) {
	f, err := d.FS.Create(name)
	return d.wrap(name, f, err)
}

func (d *Disk) wrap(name string, f vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	return file{f, d, strings.Contains(name, "/snapshots/")}, nil
}

type file struct {
	vfs.File
	disk       *Disk
	isSnapshot bool
}

func (f file) SyncData() error {
	if f.isSnapshot {
		f.disk.once.Do(func() { close(f.disk.hangs) })
		<-f.disk.release
		return f.File.SyncData()
	}
	if f.disk.IsHanging() {
		return vfs.ErrIO
	}
	return f.File.SyncData()
}
