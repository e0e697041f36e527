package agreement

import (
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim/damage"
	"github.com/chubbycell/chubby/sim/ondisk"
	"github.com/chubbycell/chubby/wal/vfs"
)

// HasLostRegister reports whether a register's value is lost on a replica's disk. Once true,
// it stays true until a start succeeds: each start repairs the copies, and so removes the
// evidence.
func (h *Rot) HasLostRegister(id paxos.NodeID, mem *vfs.Mem) bool {
	d := &h.Disks[id]
	d.gone = d.gone || h.lost(id, mem)
	return d.gone
}

// lost reports whether damage has gone beyond what two copies protect from: for some
// register, neither copy has the value that the disk was told to keep, though one may have an
// older value. If one copy is bad, and the other is older than what was being written, the
// bad copy may have had the value; that counts as lost.
func (h *Rot) lost(id paxos.NodeID, mem *vfs.Mem) bool {
	for _, name := range damage.Registers {
		value, ok := ondisk.Register(mem, name)
		if !ok {
			return true
		}
		if name != damage.Registers[0] {
			continue
		}
		says := ondisk.ReadPromise(value)
		d := &h.Disks[id]
		manifest, _ := ondisk.Register(mem, damage.Registers[1])
		if says.Boot < d.Boot || says.Ballot.Less(d.Promise) || says.First < ondisk.Begin(manifest) {
			return true
		}
		for _, suffix := range ondisk.Copies {
			if _, _, good := ondisk.Copy(mem, name+suffix); !good && says.Ballot.Less(d.Begun) {
				return true
			}
		}
	}
	return false
}
