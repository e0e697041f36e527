package frail

import (
	"io"
	"io/fs"
	"maps"
	"slices"

	"github.com/chubbycell/chubby/wal/vfs"
)

// blockSize is the grain of what is kept in memory.
const blockSize = 4096

// node is one file, with what of it was not synced. All its fields have the lock of the file
// system.
type node struct {
	v       *volatile
	place   string   // its name in base
	f       vfs.File // nil: not open
	handles int
	removed bool // from base, or another file has its name there

	size   int64 // as the process sees it
	inBase int64 // the size in base
	valid  int64 // bytes of base from here on read as zeros
	dirty  map[int64]*[blockSize]byte
}

func newNode(v *volatile, place string, f vfs.File) (*node, error) {
	size, err := f.Size()
	return &node{v: v, place: place, f: f, size: size, inBase: size, valid: size, dirty: map[int64]*[blockSize]byte{}}, err
}

func (n *node) open(name string) vfs.File {
	n.handles++
	return &handle{n: n, name: name}
}

func (n *node) isClean() bool { return len(n.dirty) == 0 && n.size == n.inBase && n.valid == n.inBase }

// letGo closes the file in base where it is of no more use: the next Open finds it there.
func (n *node) letGo() error {
	if n.handles > 0 || n.f == nil || !n.removed && !n.isClean() {
		return nil
	}
	if !n.removed {
		for _, c := range n.v.pending {
			if c.node == n {
				return nil // the name of it in base is to change
			}
		}
		delete(n.v.stored, n.place)
	}
	f := n.f
	n.f = nil
	return f.Close()
}

// read fills b, which is within the size, from off on.
func (n *node) read(b []byte, off int64) error {
	for len(b) > 0 {
		at, in := off/blockSize, off%blockSize
		k := min(int64(len(b)), blockSize-in)
		if block := n.dirty[at]; block != nil {
			copy(b[:k], block[in:])
		} else if err := n.readBase(b[:k], off); err != nil {
			return err
		}
		b, off = b[k:], off+k
	}
	return nil
}

func (n *node) readBase(b []byte, off int64) error {
	clear(b)
	there := min(int64(len(b)), n.valid-off)
	if there <= 0 {
		return nil
	}
	got, err := n.f.ReadAt(b[:there], off)
	if err == io.EOF && int64(got) == there {
		err = nil
	}
	return err
}

func (n *node) write(b []byte, off int64) error {
	n.size = max(n.size, off+int64(len(b)))
	for len(b) > 0 {
		at, in := off/blockSize, off%blockSize
		block := n.dirty[at]
		if block == nil {
			block = new([blockSize]byte)
			if err := n.readBase(block[:], at*blockSize); err != nil {
				return err
			}
			n.dirty[at] = block
		}
		k := copy(block[in:], b)
		b, off = b[k:], off+int64(k)
	}
	return nil
}

func (n *node) truncate(size int64) {
	if size < n.size {
		n.valid = min(n.valid, size)
		for at, block := range n.dirty { // order-free: each block by itself
			switch begin := at * blockSize; {
			case begin >= size:
				delete(n.dirty, at)
			case begin+blockSize > size:
				clear(block[size-begin:])
			}
		}
	}
	n.size = size
}

// sync brings everything to base.
func (n *node) sync(how func(vfs.File) error) error {
	if n.valid < n.inBase {
		if err := n.f.Truncate(n.valid); err != nil {
			return err
		}
		n.inBase = n.valid
	}
	for _, at := range slices.Sorted(maps.Keys(n.dirty)) {
		begin := at * blockSize
		end := min(begin+blockSize, n.size)
		if _, err := n.f.WriteAt(n.dirty[at][:end-begin], begin); err != nil {
			return err
		}
		n.inBase = max(n.inBase, end)
	}
	if n.size != n.inBase {
		if err := n.f.Truncate(n.size); err != nil {
			return err
		}
	}
	if err := how(n.f); err != nil {
		return err
	}
	clear(n.dirty)
	n.inBase, n.valid = n.size, n.size
	return nil
}

// handle is an open file.
type handle struct {
	n    *node
	name string
	shut bool
}

// enter begins a call, with the lock held until leave is called.
func (h *handle) enter(op vfs.Op) (leave func(), err error) {
	h.n.v.mu.Lock()
	if h.shut {
		err = failed(op, h.name, fs.ErrClosed)
	}
	return h.n.v.mu.Unlock, err
}

// ReadAt is File.ReadAt.
func (h *handle) ReadAt(b []byte, off int64) (int, error) {
	leave, err := h.enter(vfs.OpReadAt)
	defer leave()
	switch {
	case err != nil:
		return 0, err
	case off < 0:
		return 0, failed(vfs.OpReadAt, h.name, fs.ErrInvalid)
	case len(b) > 0 && off >= h.n.size:
		return 0, io.EOF
	}
	have := int(min(int64(len(b)), h.n.size-off))
	if err := h.n.read(b[:have], off); err != nil {
		return 0, err
	}
	if have < len(b) {
		return have, io.EOF
	}
	return have, nil
}

// WriteAt is File.WriteAt.
func (h *handle) WriteAt(b []byte, off int64) (int, error) {
	leave, err := h.enter(vfs.OpWriteAt)
	defer leave()
	if err == nil && off < 0 {
		err = failed(vfs.OpWriteAt, h.name, fs.ErrInvalid)
	}
	if err == nil {
		err = h.n.write(b, off)
	}
	if err != nil {
		return 0, err
	}
	return len(b), nil
}

// Sync is File.Sync.
func (h *handle) Sync() error { return h.sync(vfs.OpSync, vfs.File.Sync) }

// SyncData is File.SyncData.
func (h *handle) SyncData() error { return h.sync(vfs.OpSyncData, vfs.File.SyncData) }

func (h *handle) sync(op vfs.Op, how func(vfs.File) error) error {
	leave, err := h.enter(op)
	defer leave()
	if err != nil {
		return err
	}
	return h.n.sync(how)
}

// Preallocate is File.Preallocate.
func (h *handle) Preallocate(size int64) error {
	leave, err := h.enter(vfs.OpPreallocate)
	defer leave()
	if err == nil {
		h.n.size = max(h.n.size, size)
	}
	return err
}

// Truncate is File.Truncate.
func (h *handle) Truncate(size int64) error {
	leave, err := h.enter(vfs.OpTruncate)
	defer leave()
	if err == nil && size < 0 {
		err = failed(vfs.OpTruncate, h.name, fs.ErrInvalid)
	}
	if err == nil {
		h.n.truncate(size)
	}
	return err
}

// Size is File.Size.
func (h *handle) Size() (int64, error) {
	leave, err := h.enter(vfs.OpSize)
	defer leave()
	return h.n.size, err
}

// Close is File.Close.
func (h *handle) Close() error {
	leave, err := h.enter(vfs.OpClose)
	defer leave()
	if err != nil {
		return err
	}
	h.shut = true
	h.n.handles--
	return h.n.letGo()
}
