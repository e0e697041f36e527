package cell

import (
	"encoding/binary"
	"hash/crc32"
	"math"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/wal/vfs"
)

// copies are the endings of the two files of a register.
var copies = []string{".a", ".b"}

// Sizes of a copy of a register: of what stands before its value, and of one copy of the
// promise register.
const (
	registerHead = 20
	promiseImage = registerHead + promiseValue + sumSize
	promiseValue = 48
)

// registerOf reads the better of the two copies of a register, as the format in
// wal/doc.go draws them; ok is false if neither can be read. Like framesOf it shares
// no code with package wal.
func registerOf(mem *vfs.Mem, name string) (value []byte, ok bool) {
	var best uint64
	for _, suffix := range copies {
		if v, version, good := copyOf(mem, name+suffix); good && (!ok || version > best) {
			value, best, ok = v, version, true
		}
	}
	return value, ok
}

// copyOf reads one of them.
func copyOf(mem *vfs.Mem, file string) (value []byte, version uint64, ok bool) {
	b, err := mem.Contents(file)
	if err != nil || len(b) < registerHead {
		return nil, 0, false
	}
	size := uint64(binary.LittleEndian.Uint32(b[16:]))
	if size > uint64(len(b)-registerHead-min(len(b)-registerHead, sumSize)) {
		return nil, 0, false
	}
	end := registerHead + int(size)
	sum := crc32.Checksum(b[:end], crc32.MakeTable(crc32.Castagnoli))
	return b[registerHead:end], binary.LittleEndian.Uint64(b[8:]), sum == binary.LittleEndian.Uint32(b[end:])
}

// promiseOf takes the value of the promise register apart (replica/store/doc.go).
func promiseOf(value []byte) (boot paxos.Boot, promise paxos.Ballot) {
	if len(value) < 24 {
		return 0, paxos.Ballot{}
	}
	return paxos.Boot(binary.LittleEndian.Uint64(value[4:])),
		paxos.Ballot{Round: binary.LittleEndian.Uint64(value[12:]), Node: paxos.NodeID(binary.LittleEndian.Uint32(value[20:]))}
}

// syncedOf is up to where the log was synced when the promise register was written.
func syncedOf(value []byte) uint64 {
	if len(value) < 32 {
		return 0
	}
	return binary.LittleEndian.Uint64(value[24:])
}

// floorOf is the slot below which the log may lack what concerns it.
func floorOf(value []byte) paxos.Slot {
	if len(value) < 40 {
		return 1
	}
	return paxos.Slot(max(1, binary.LittleEndian.Uint64(value[32:])))
}

// firstOf is the entry from which on the log has all, by the promise register.
func firstOf(value []byte) uint64 {
	if len(value) < promiseValue {
		return 1
	}
	return max(1, binary.LittleEndian.Uint64(value[40:]))
}

// beginOf is the entry with which the log begins, by its manifest (wal/doc.go).
func beginOf(manifest []byte) uint64 {
	if len(manifest) < 32 {
		return 1
	}
	return binary.LittleEndian.Uint64(manifest[24:])
}

// vouched is up to where the promise register says that its log was synced, and will
// say so if one copy is lost: the lower of both counts, when both can be read and are
// on the disk.
func vouched(mem *vfs.Mem) uint64 {
	known := uint64(math.MaxUint64)
	for _, suffix := range copies {
		value, _, ok := copyOf(mem, registers[0]+suffix)
		if !ok {
			return 0
		}
		known = min(known, syncedOf(value))
	}
	if halfWritten(mem) {
		return 0
	}
	return known
}

// loses is lost, from the first time on until a start succeeds: each mends the copies,
// and leaves nothing to be seen.
func (h *watch) loses(id paxos.NodeID, mem *vfs.Mem) bool {
	d := &h.disks[id]
	d.gone = d.gone || h.lost(id, mem)
	return d.gone
}

// lost says that what two copies are there for has happened: of some register
// neither has what the disk was told to keep, though others may have what is older. If
// one copy is bad, and the other older than what was being written, that may be so, too:
// the bad one may have had it.
func (h *watch) lost(id paxos.NodeID, mem *vfs.Mem) bool {
	for _, name := range registers {
		value, ok := registerOf(mem, name)
		if !ok {
			return true
		}
		if name != registers[0] {
			continue
		}
		boot, promise := promiseOf(value)
		d := &h.disks[id]
		manifest, _ := registerOf(mem, registers[1])
		if boot < d.boot || promise.Less(d.promise) || firstOf(value) < beginOf(manifest) {
			return true
		}
		for _, suffix := range copies {
			if _, _, good := copyOf(mem, name+suffix); !good && promise.Less(d.begun) {
				return true
			}
		}
	}
	return false
}
