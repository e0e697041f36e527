package agreement

import (
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim/damage"
	"github.com/chubbycell/chubby/sim/ondisk"
	"github.com/chubbycell/chubby/wal/vfs"
)

// HasLostRegister is lost, from the first time on until a start succeeds: each mends the copies,
// and leaves nothing to be seen.
func (h *Rot) HasLostRegister(id paxos.NodeID, mem *vfs.Mem) bool {
	d := &h.Disks[id]
	d.gone = d.gone || h.lost(id, mem)
	return d.gone
}

// lost says that what two copies are there for has happened: of some register
// neither has what the disk was told to keep, though others may have what is older. If
// one copy is bad, and the other older than what was being written, that may be so, too:
// the bad one may have had it.
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
