package cell

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/wal/vfs"
)

// registerOf reads the better of the two copies of a register, as the format in
// wal/doc.go draws them; ok is false if neither can be read. Like framesOf it shares
// no code with package wal.
func registerOf(mem *vfs.Mem, name string) (value []byte, ok bool) {
	const head = 20
	var best uint64
	for _, suffix := range []string{".a", ".b"} {
		b, err := mem.Contents(name + suffix)
		if err != nil || len(b) < head {
			continue
		}
		version, size := binary.LittleEndian.Uint64(b[8:]), uint64(binary.LittleEndian.Uint32(b[16:]))
		if size > uint64(len(b)-head-min(len(b)-head, sumSize)) {
			continue
		}
		end := head + int(size)
		sum := crc32.Checksum(b[:end], crc32.MakeTable(crc32.Castagnoli))
		if sum == binary.LittleEndian.Uint32(b[end:]) && (!ok || version > best) {
			value, best, ok = b[head:end], version, true
		}
	}
	return value, ok
}

// promiseOf takes the value of the promise register apart (replica/store/doc.go).
func promiseOf(value []byte) (boot paxos.Boot, promise paxos.Ballot) {
	if len(value) < 24 {
		return 0, paxos.Ballot{}
	}
	return paxos.Boot(binary.LittleEndian.Uint64(value[4:])),
		paxos.Ballot{Round: binary.LittleEndian.Uint64(value[12:]), Node: paxos.NodeID(binary.LittleEndian.Uint32(value[20:]))}
}

// floorOf is the slot below which the log may lack records, by the promise register.
func floorOf(value []byte) paxos.Slot {
	if len(value) < 40 {
		return 0
	}
	return paxos.Slot(binary.LittleEndian.Uint64(value[32:]))
}

// dropped is told that a log was truncated: its register says so by now.
func (h *watch) dropped(id paxos.NodeID, mem *vfs.Mem) {
	if value, ok := registerOf(mem, registers[0]); ok {
		h.disks[id].floor = max(h.disks[id].floor, floorOf(value))
	}
}

// lost says that what two copies are there for has happened: of some register
// neither has what the disk was told to keep, though others may have what is older.
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
		if d := &h.disks[id]; boot < d.boot || promise.Less(d.promise) || floorOf(value) < d.floor {
			return true
		}
	}
	return false
}
