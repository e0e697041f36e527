package vfs

import (
	"io/fs"
	"slices"
)

// The methods of this file are what a disk does to bytes that were written and
// synced, without a call of the machine. It happens on the disk and in what the
// machine sees at once, and no fault predicate is asked.

// Corrupt flips the bits of mask in one byte. It fails with fs.ErrNotExist where
// there is no such byte.
func (m *Mem) Corrupt(name string, off int64, mask byte) error {
	return m.decay("corrupt", name, off, 1, func(b []byte, _ int) { b[0] ^= mask })
}

// Overlay puts other bytes in place of those from off on, as a write that went
// astray does. It fails with fs.ErrNotExist where the file has no such bytes.
func (m *Mem) Overlay(name string, off int64, with []byte) error {
	return m.decay("overlay", name, off, len(with), func(b []byte, at int) { copy(b, with[at:]) })
}

// Spoil makes every sector that holds one of n bytes from off on unreadable:
// ReadAt fails with ErrIO until the sector is written again. It fails with
// fs.ErrNotExist where the file has no such bytes.
func (m *Mem) Spoil(name string, off int64, n int) error {
	f, err := m.rotten("spoil", name, off, n)
	if err != nil {
		return err
	}
	for s := off / SectorSize; s <= (off+int64(n)-1)/SectorSize; s++ {
		if !slices.Contains(f.spoilt, s) {
			f.spoilt = append(f.spoilt, s)
		}
	}
	return nil
}

// rotten is the file that has n > 0 bytes from off on.
func (m *Mem) rotten(op, name string, off int64, n int) (*memFile, error) {
	node := m.names[name]
	if node == nil || node.file == nil || off < 0 || n <= 0 || off+int64(n) > node.file.size {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	return node.file, nil
}

// decay changes n bytes from off on, sector by sector: in what the machine sees,
// and in the disk's image where that differs. A sector that was clean stays so.
func (m *Mem) decay(op, name string, off int64, n int, change func(b []byte, at int)) error {
	f, err := m.rotten(op, name, off, n)
	if err != nil {
		return err
	}
	for at := 0; at < n; {
		sector, in := (off+int64(at))/SectorSize, int((off+int64(at))%SectorSize)
		k := min(n-at, SectorSize-in)
		p := f.page(sector)
		if p == nil {
			p = f.grow(sector)
		}
		i := int(sector % sectorsPerPage)
		if old := p.old[i]; old != nil {
			change(old[in:in+k], at)
		}
		change(p.data[i*SectorSize+in:i*SectorSize+in+k], at)
		at += k
	}
	return nil
}

// isUnreadable reports whether a sector of n bytes from off on is spoilt.
func (f *memFile) isUnreadable(off int64, n int) bool {
	return n > 0 && slices.ContainsFunc(f.spoilt, func(s int64) bool {
		return s >= off/SectorSize && s <= (off+int64(n)-1)/SectorSize
	})
}

// rewritten makes the sectors of n bytes from off on readable: a disk puts what
// is written to a bad place somewhere else.
func (f *memFile) rewritten(off int64, n int) {
	if n > 0 && len(f.spoilt) > 0 {
		f.spoilt = slices.DeleteFunc(f.spoilt, func(s int64) bool {
			return s >= off/SectorSize && s <= (off+int64(n)-1)/SectorSize
		})
	}
}

// astray is the file that a misdirected write lands in, nil if there is none.
func (m *Mem) astray(p *Place) *memFile {
	if n := m.names[p.Name]; n != nil {
		return n.file
	}
	return nil
}

// Lose takes a file away, from the disk as from what the machine sees: its name is
// gone, and no power cut brings it back. It fails with fs.ErrNotExist where there is
// no such file.
func (m *Mem) Lose(name string) error {
	if n := m.names[name]; n == nil || n.file == nil {
		return &fs.PathError{Op: "lose", Path: name, Err: fs.ErrNotExist}
	}
	delete(m.names, name)
	delete(m.durable, name)
	m.pending = slices.DeleteFunc(m.pending, func(o nameOp) bool { return o.add == name })
	return nil
}
