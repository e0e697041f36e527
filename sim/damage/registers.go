package damage

import (
	"math"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/sim/ondisk"
	"github.com/chubbycell/chubby/wal/vfs"
)

// Registers are the registers of a store: the promise register and the log's manifest. Each
// is kept in two copies.
var Registers = []string{DataDir + "/promise", DataDir + "/log/manifest"}

// HalfWritten reports whether a failed write has left, in the machine's memory, a register
// that differs from the one on disk.
func HalfWritten(mem *vfs.Mem) bool {
	return slices.ContainsFunc(mem.Files(), func(f vfs.FileInfo) bool {
		return f.Unsynced > 0 && slices.ContainsFunc(Registers, func(name string) bool {
			return f.Name == name+".a" || f.Name == name+".b"
		})
	})
}

// Vouched returns the number of the last record that the promise register says is synced, and
// will still say so if one copy is lost: the lower count of the two copies. It is 0 unless
// both can be read and are on the disk.
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

// DataDir is the directory of a replica's files on its simulated disk.
const DataDir = "cell"

// IsSpoilt reports whether a segment of a log has sectors that cannot be read. Registers do
// not count: a replica rewrites a copy that it cannot read.
func IsSpoilt(mem *vfs.Mem) bool {
	for _, f := range mem.Files() {
		if f.Spoilt > 0 && strings.HasSuffix(f.Name, ".wal") {
			return true
		}
	}
	return false
}
