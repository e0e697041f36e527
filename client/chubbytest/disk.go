package chubbytest

import (
	"io"
	"sync"

	"github.com/chubbycell/chubby/wal/vfs"
)

// disk is the in-memory disk of one replica. It survives restarts of the replica. A vfs.Mem serves
// one goroutine at a time, and a replica has several.
type disk struct {
	mu  sync.Mutex
	mem *vfs.Mem
}

func newDisk() *disk { return &disk{mem: vfs.NewMem()} }

// crash is a power cut: data that was not synced is lost, and open files become unusable.
func (d *disk) crash() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.mem.Crash(vfs.KeepNothing)
}

// mounted is a disk as one life of its replica sees it.
type mounted struct {
	disk *disk
	gate *gate
}

var _ vfs.FS = mounted{}

// enter begins a call. leave ends it.
func (m mounted) enter() (leave func()) {
	m.gate.pass()
	m.disk.mu.Lock()
	return m.disk.mu.Unlock
}

func (m mounted) Create(name string) (vfs.File, error) {
	defer m.enter()()
	return m.opened(m.disk.mem.Create(name))
}

func (m mounted) Open(name string) (vfs.File, error) {
	defer m.enter()()
	return m.opened(m.disk.mem.Open(name))
}

func (m mounted) opened(f vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	return file{m, f}, nil
}

func (m mounted) ReadDir(dir string) ([]string, error) {
	defer m.enter()()
	return m.disk.mem.ReadDir(dir)
}

func (m mounted) Rename(from, to string) error {
	defer m.enter()()
	return m.disk.mem.Rename(from, to)
}

func (m mounted) Remove(name string) error {
	defer m.enter()()
	return m.disk.mem.Remove(name)
}

func (m mounted) SyncDir(dir string) error {
	defer m.enter()()
	return m.disk.mem.SyncDir(dir)
}

func (m mounted) MkdirAll(dir string) error {
	defer m.enter()()
	return m.disk.mem.MkdirAll(dir)
}

func (m mounted) Lock(name string) (io.Closer, error) {
	defer m.enter()()
	held, err := m.disk.mem.Lock(name)
	if err != nil {
		return nil, err
	}
	return lockFile{m, held}, nil
}

// lockFile is a replica's lock on its directory.
type lockFile struct {
	on   mounted
	held io.Closer
}

func (l lockFile) Close() error {
	defer l.on.enter()()
	return l.held.Close()
}

// file is an open file of a disk.
type file struct {
	on mounted
	f  vfs.File
}

func (f file) ReadAt(p []byte, off int64) (int, error) {
	defer f.on.enter()()
	return f.f.ReadAt(p, off)
}

func (f file) WriteAt(p []byte, off int64) (int, error) {
	defer f.on.enter()()
	return f.f.WriteAt(p, off)
}

func (f file) Sync() error {
	defer f.on.enter()()
	return f.f.Sync()
}

func (f file) SyncData() error {
	defer f.on.enter()()
	return f.f.SyncData()
}

func (f file) Preallocate(size int64) error {
	defer f.on.enter()()
	return f.f.Preallocate(size)
}

func (f file) Truncate(size int64) error {
	defer f.on.enter()()
	return f.f.Truncate(size)
}

func (f file) Size() (int64, error) {
	defer f.on.enter()()
	return f.f.Size()
}

func (f file) Close() error {
	defer f.on.enter()()
	return f.f.Close()
}
