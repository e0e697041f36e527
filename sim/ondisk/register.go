package ondisk

import (
	"encoding/binary"
	"hash/crc32"
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/wal/vfs"
)

// Copies are the suffixes of the two files of a register.
var Copies = []string{".a", ".b"}

// PromiseImage is the size of one copy of a promise register, in bytes.
const PromiseImage = registerHead + promiseValue + sumSize

// Sizes in wal/doc.go and replica/disk/store/doc.go: of a copy's header, and of its value.
const (
	registerHead = 20
	promiseValue = 56
)

// Register reads both copies of a register and returns the value of the one with the higher
// version; ok is false if neither can be read.
func Register(mem *vfs.Mem, name string) (value []byte, ok bool) {
	var best uint64
	for _, suffix := range Copies {
		if v, version, good := Copy(mem, name+suffix); good && (!ok || version > best) {
			value, best, ok = v, version, true
		}
	}
	return value, ok
}

// Copy reads one copy of a register; ok is false if it is missing or its checksum is wrong.
func Copy(mem *vfs.Mem, file string) (value []byte, version uint64, ok bool) {
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

// Promise is the content of a promise register (replica/disk/store/doc.go).
type Promise struct {
	Boot   paxos.Boot
	Ballot paxos.Ballot
	Synced uint64        // entries up to this one were synced when it was written
	Floor  paxos.Slot    // the log may lack records of slots below
	First  uint64        // the log has all entries from this one on
	Grant  time.Duration // the longest Grant that a life was configured with
}

// ReadPromise decodes the value of a promise register. An empty value stands for a log from
// which nothing was dropped.
func ReadPromise(value []byte) Promise {
	if len(value) < promiseValue {
		return Promise{Floor: 1, First: 1}
	}
	at := func(off int) uint64 { return binary.LittleEndian.Uint64(value[off:]) }
	return Promise{
		Boot:   paxos.Boot(at(4)),
		Ballot: paxos.Ballot{Round: at(12), Node: paxos.NodeID(binary.LittleEndian.Uint32(value[20:]))},
		Synced: at(24), Floor: paxos.Slot(max(1, at(32))), First: max(1, at(40)),
		Grant: time.Duration(at(48)),
	}
}

// Begin returns the number of the first entry of a log, by the value of its manifest.
func Begin(manifest []byte) uint64 {
	if len(manifest) < 32 {
		return 1
	}
	return binary.LittleEndian.Uint64(manifest[24:])
}
