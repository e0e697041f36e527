package damage

import (
	"math"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/sim/ondisk"
	"github.com/chubbycell/chubby/wal/vfs"
)

// Registers of a store, each in two copies.
var Registers = []string{DataDir + "/promise", DataDir + "/log/manifest"}

// HalfWritten says whether the running machine sees a register that is not what the
// disk has: a write to it failed.
func HalfWritten(mem *vfs.Mem) bool {
	return slices.ContainsFunc(mem.Files(), func(f vfs.FileInfo) bool {
		return f.Unsynced > 0 && slices.ContainsFunc(Registers, func(name string) bool {
			return f.Name == name+".a" || f.Name == name+".b"
		})
	})
}

// Vouched is up to where the promise register says that its log was synced, and will
// say so if one copy is lost: the lower of both counts, when both can be read and are
// on the disk.
func Vouched(mem *vfs.Mem) uint64 {
	known := uint64(math.MaxUint64)
	for _, suffix := range ondisk.Copies {
		value, _, ok := ondisk.Copy(mem, Registers[0]+suffix)
		if !ok {
			return 0
		}
		known = min(known, ondisk.ReadPromise(value).Synced)
	}
	if HalfWritten(mem) {
		return 0
	}
	return known
}

// DataDir is where a replica keeps its files on its simulated disk.
const DataDir = "cell"

// IsSpoilt says whether a segment of a log has sectors that cannot be read. Copies
// of a register that cannot be read are written anew.
func IsSpoilt(mem *vfs.Mem) bool {
	for _, f := range mem.Files() {
		if f.Spoilt > 0 && strings.HasSuffix(f.Name, ".wal") {
			return true
		}
	}
	return false
}
