package vfs

import (
	"io"
	"io/fs"
)

// SectorSize is the grain at which a crash of a Mem keeps and loses bytes.
const SectorSize = 512

const (
	pageSize       = 8 * SectorSize
	sectorsPerPage = pageSize / SectorSize
)

// page is a piece of a file as the running machine sees it. old[i] is what the
// disk holds in sector i, where that differs; nil where the disk has the same.
type page struct {
	data [pageSize]byte
	old  [sectorsPerPage]*[SectorSize]byte
	kind [sectorsPerPage]dirt
}

// dirt says what a sector that differs from the disk is waiting for.
type dirt uint8

const (
	dirtyData dirt = iota // written: the next Sync brings it to the disk
	dirtyCut              // cut off by Truncate: as above, but never dropped
	dropped               // clean, as the machine believes; no Sync will write it
)

// memFile is the contents of a file. A nil page reads as zeros.
type memFile struct {
	pages   []*page
	dirty   []int64 // sectors with an old image, in the order they got dirty
	size    int64
	durable int64   // size, as the disk has it
	spoilt  []int64 // sectors that cannot be read
}

// touch keeps the disk's image of a sector before the running machine changes it.
func (m *Mem) touch(f *memFile, sector int64, kind dirt) *page {
	p, si := f.page(sector), int(sector%sectorsPerPage)
	if p == nil {
		p = f.grow(sector)
	}
	if p.old[si] == nil {
		p.old[si] = m.image()
		copy(p.old[si][:], p.data[si*SectorSize:])
		f.dirty = append(f.dirty, sector)
	}
	p.kind[si] = kind
	return p
}

func (m *Mem) image() *[SectorSize]byte {
	if n := len(m.free); n > 0 {
		b := m.free[n-1]
		m.free = m.free[:n-1]
		return b
	}
	return new([SectorSize]byte)
}

// page returns the page of a sector, nil if it was never written.
func (f *memFile) page(sector int64) *page {
	if pi := sector / sectorsPerPage; pi < int64(len(f.pages)) {
		return f.pages[pi]
	}
	return nil
}

// grow makes the page of a sector.
func (f *memFile) grow(sector int64) *page {
	pi := int(sector / sectorsPerPage)
	for pi >= len(f.pages) {
		f.pages = append(f.pages, nil)
	}
	f.pages[pi] = &page{}
	return f.pages[pi]
}

// at returns the page and the index within it of a dirty sector.
func (f *memFile) at(sector int64) (*page, int) {
	return f.pages[sector/sectorsPerPage], int(sector % sectorsPerPage)
}

func (m *Mem) write(f *memFile, b []byte, off int64, kind dirt) {
	f.size = max(f.size, off+int64(len(b)))
	for len(b) > 0 {
		p := m.touch(f, off/SectorSize, kind)
		end := (off/SectorSize + 1) * SectorSize
		n := min(len(b), int(end-off))
		copy(p.data[off%pageSize:], b[:n])
		b, off = b[n:], off+int64(n)
	}
}

func (f *memFile) read(b []byte, off int64) int {
	if off >= f.size {
		return 0
	}
	b = b[:min(int64(len(b)), f.size-off)]
	n := len(b)
	for len(b) > 0 {
		k := min(len(b), int(pageSize-off%pageSize))
		if p := f.page(off / SectorSize); p != nil {
			copy(b[:k], p.data[off%pageSize:])
		} else {
			clear(b[:k])
		}
		b, off = b[k:], off+int64(k)
	}
	return n
}

// cut zeroes all from size on, so that a later growth reads zeros.
func (m *Mem) cut(f *memFile, size int64) {
	for s := size / SectorSize; s*SectorSize < f.size; s++ {
		if f.page(s) == nil {
			s |= sectorsPerPage - 1 // on to the next page
			continue
		}
		p := m.touch(f, s, dirtyCut)
		from := max(size, s*SectorSize)
		clear(p.data[from%pageSize : s%sectorsPerPage*SectorSize+SectorSize])
	}
	f.size = size
}

// sync makes the disk equal to what the machine sees, dropped sectors apart.
func (m *Mem) sync(f *memFile) {
	kept := f.dirty[:0]
	for _, s := range f.dirty {
		p, i := f.at(s)
		if p.kind[i] == dropped {
			kept = append(kept, s)
			continue
		}
		m.free = append(m.free, p.old[i])
		p.old[i] = nil
	}
	f.dirty, f.durable = kept, f.size
}

// drop marks what was written and not synced as clean.
func (f *memFile) drop() {
	for _, s := range f.dirty {
		if p, i := f.at(s); p.kind[i] == dirtyData {
			p.kind[i] = dropped
		}
	}
}

// memHandle is an open file.
type memHandle struct {
	m    *Mem
	f    *memFile
	name string
	life int
	shut bool
}

func (h *memHandle) enter(c Call) (Fault, error) {
	if h.shut {
		return Fault{}, wrap(c.Op, h.name, fs.ErrClosed)
	}
	c.Name = h.name
	return h.m.enter(h.life, c)
}

// ReadAt is File.ReadAt.
func (h *memHandle) ReadAt(b []byte, off int64) (int, error) {
	if _, err := h.enter(Call{Op: OpReadAt, Off: off, N: len(b)}); err != nil {
		return 0, err
	}
	if off < 0 {
		return 0, wrap(OpReadAt, h.name, fs.ErrInvalid)
	}
	if h.f.isUnreadable(off, len(b)) {
		return 0, wrap(OpReadAt, h.name, ErrIO)
	}
	n := h.f.read(b, off)
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// WriteAt is File.WriteAt.
func (h *memHandle) WriteAt(b []byte, off int64) (int, error) {
	fault, err := h.enter(Call{Op: OpWriteAt, Off: off, N: len(b), Data: b})
	if err != nil && fault.Short == 0 {
		return 0, err
	}
	if off < 0 {
		return 0, wrap(OpWriteAt, h.name, fs.ErrInvalid)
	}
	kind, f := dirtyData, h.f
	if fault.Lose {
		kind = dropped
	}
	if fault.Astray != nil {
		f, off = h.m.astray(fault.Astray), fault.Astray.Off
	}
	if err != nil {
		b = b[:min(len(b), fault.Short)]
	}
	if f != nil {
		f.rewritten(off, len(b))
		h.m.write(f, b, off, kind)
	}
	return len(b), err
}

// Sync is File.Sync.
func (h *memHandle) Sync() error { return h.sync(OpSync) }

// SyncData is File.SyncData.
func (h *memHandle) SyncData() error { return h.sync(OpSyncData) }

func (h *memHandle) sync(op Op) error {
	fault, err := h.enter(Call{Op: op})
	switch {
	case err != nil && fault.Drop:
		h.f.drop()
	case err == nil:
		h.m.sync(h.f)
	}
	return err
}

// Preallocate is File.Preallocate.
func (h *memHandle) Preallocate(size int64) error {
	if _, err := h.enter(Call{Op: OpPreallocate, Off: size}); err != nil {
		return err
	}
	h.f.size = max(h.f.size, size)
	return nil
}

// Truncate is File.Truncate.
func (h *memHandle) Truncate(size int64) error {
	if _, err := h.enter(Call{Op: OpTruncate, Off: size}); err != nil {
		return err
	}
	if size < 0 {
		return wrap(OpTruncate, h.name, fs.ErrInvalid)
	}
	if size < h.f.size {
		h.m.cut(h.f, size)
	}
	h.f.size = size
	return nil
}

// Size is File.Size.
func (h *memHandle) Size() (int64, error) {
	_, err := h.enter(Call{Op: OpSize})
	return h.f.size, err
}

// Close is File.Close.
func (h *memHandle) Close() error {
	if _, err := h.enter(Call{Op: OpClose}); err != nil {
		return err
	}
	h.shut = true
	return nil
}
