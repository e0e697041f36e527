package vfs

import (
	"maps"
	"slices"
)

// Chooser makes the choices of a crash: each call returns a number below n,
// n > 0. Where it chooses between less and more of what was not synced, 0 is
// nothing and n-1 is all. A simulator passes its keyed draws.
type Chooser func(n uint64) uint64

// KeepNothing is the crash that takes all that was not synced.
func KeepNothing(uint64) uint64 { return 0 }

// KeepAll is the crash that takes nothing: the disk was quick.
func KeepAll(n uint64) uint64 { return n - 1 }

// Seeded returns a Chooser whose choices are those of one seed (SplitMix64).
func Seeded(seed uint64) Chooser {
	return func(n uint64) uint64 {
		seed += 0x9e3779b97f4a7c15
		x := seed
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		return (x ^ x>>31) % n
	}
}

// Crash is a power cut: what is left is what the disk holds, and of all that was
// not synced a choice. Per file that is nothing, a prefix, any set of sectors
// with some torn within, or all; each unsynced change of names is kept or lost;
// an unsynced size is the old one, the new one or one between. What was opened
// or locked before is dead (ErrCrashed).
//
// Choices are made in an order fixed by the names and the calls made so far.
func (m *Mem) Crash(choose Chooser) {
	m.Kill()
	for _, o := range m.pending {
		if choose(2) == 1 {
			m.harden(o)
		}
	}
	clear(m.pending)
	m.pending = m.pending[:0]
	m.names = maps.Clone(m.durable)
	for _, name := range slices.Sorted(maps.Keys(m.names)) {
		if f := m.names[name].file; f != nil {
			m.settle(f, choose)
		}
	}
}

// Kill is the death of the process while the machine stays up: nothing is lost,
// but what was opened or locked is dead (ErrCrashed), and what was not synced is
// as little durable as before.
func (m *Mem) Kill() {
	m.life++
	clear(m.locks)
}

// The shares of a file that a crash can leave.
const (
	leaveNothing = iota
	leavePrefix
	leaveSome
	leaveAll
	shares
)

// settle makes one file what the disk has of it after the crash.
func (m *Mem) settle(f *memFile, choose Chooser) {
	if len(f.dirty) > 0 {
		slices.Sort(f.dirty)
		share := choose(shares)
		prefix := 0
		if share == leavePrefix {
			prefix = int(choose(uint64(len(f.dirty))))
		}
		for i, s := range f.dirty {
			m.settleSector(f, s, keepSector(share, i, prefix, choose), choose)
		}
		f.dirty = f.dirty[:0]
	}
	size := f.durable
	if f.size != size {
		size = settleSize(f.durable, f.size, choose)
	}
	f.size = max(f.size, f.durable) // as far as old bytes may have come back
	m.cut(f, size)
	m.sync(f)
}

// What a crash leaves of one sector.
const (
	sectorOld  = iota
	sectorHead // the first bytes are new, the rest old
	sectorTail // the first bytes are old, the rest new
	sectorNew
	sectorFates
)

func keepSector(share uint64, i, prefix int, choose Chooser) uint64 {
	switch {
	case share == leaveNothing:
		return sectorOld
	case share == leaveAll:
		return sectorNew
	case share == leaveSome:
		return choose(sectorFates)
	case i < prefix:
		return sectorNew
	case i == prefix:
		return sectorHead
	}
	return sectorOld
}

func (m *Mem) settleSector(f *memFile, sector int64, fate uint64, choose Chooser) {
	p, i := f.at(sector)
	old, now := p.old[i], p.data[i*SectorSize:(i+1)*SectorSize]
	if p.kind[i] == dropped {
		fate = sectorOld
	}
	switch fate {
	case sectorOld:
		copy(now, old[:])
	case sectorHead:
		n := tear(choose)
		copy(now[n:], old[n:])
	case sectorTail:
		n := tear(choose)
		copy(now[:n], old[:n])
	}
	m.free = append(m.free, old)
	p.old[i] = nil
}

// tear is where a sector is torn: anywhere, or as often near its beginning, where small
// files have all they have.
func tear(choose Chooser) uint64 {
	most := uint64(SectorSize)
	if choose(2) == 0 {
		for range choose(8) {
			most /= 2
		}
	}
	return 1 + choose(most-1)
}

func settleSize(durable, now int64, choose Chooser) int64 {
	switch choose(3) {
	case 0:
		return durable
	case 1:
		lo, hi := min(durable, now), max(durable, now)
		return lo + int64(choose(uint64(hi-lo)))
	}
	return now
}
