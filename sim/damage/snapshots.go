package damage

import (
	"strconv"
	"strings"

	"github.com/chubbycell/chubby/paxos"
)

// SnapshotIn is the slot of the snapshot that stands in a file.
func SnapshotIn(file string) (paxos.Slot, bool) {
	name, ok := strings.CutPrefix(file, DataDir+"/snapshots/")
	name, snap := strings.CutSuffix(name, ".snap")
	n, err := strconv.ParseUint(name, 10, 64)
	return paxos.Slot(n), ok && snap && err == nil
}
