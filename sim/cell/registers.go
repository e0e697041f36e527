package cell

import (
	"math"
	"slices"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim/platter"
	"github.com/chubbycell/chubby/wal/vfs"
)

// registers of a store, each in two copies.
var registers = []string{dataDir + "/promise", dataDir + "/log/manifest"}

// halfWritten says whether the running machine sees a register that is not what the
// disk has: a write to it failed.
func halfWritten(mem *vfs.Mem) bool {
	return slices.ContainsFunc(mem.Files(), func(f vfs.FileInfo) bool {
		return f.Unsynced > 0 && slices.ContainsFunc(registers, func(name string) bool {
			return f.Name == name+".a" || f.Name == name+".b"
		})
	})
}

// vouched is up to where the promise register says that its log was synced, and will
// say so if one copy is lost: the lower of both counts, when both can be read and are
// on the disk.
func vouched(mem *vfs.Mem) uint64 {
	known := uint64(math.MaxUint64)
	for _, suffix := range platter.Copies {
		value, _, ok := platter.Copy(mem, registers[0]+suffix)
		if !ok {
			return 0
		}
		known = min(known, platter.ReadPromise(value).Synced)
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
		value, ok := platter.Register(mem, name)
		if !ok {
			return true
		}
		if name != registers[0] {
			continue
		}
		says := platter.ReadPromise(value)
		d := &h.disks[id]
		manifest, _ := platter.Register(mem, registers[1])
		if says.Boot < d.boot || says.Ballot.Less(d.promise) || says.First < platter.Begin(manifest) {
			return true
		}
		for _, suffix := range platter.Copies {
			if _, _, good := platter.Copy(mem, name+suffix); !good && says.Ballot.Less(d.begun) {
				return true
			}
		}
	}
	return false
}
