package damage

import (
	"strconv"
	"strings"

	"github.com/chubbycell/chubby/paxos"
)

// SnapshotIn returns the slot of the snapshot in a file; the result is false if the file is
// no snapshot.
func SnapshotIn(file string) (paxos.Slot, bool) {
	name, ok := strings.CutPrefix(file, DataDir+"/snapshots/")
	name, snap := strings.CutSuffix(name, ".snap")
	n, err := strconv.ParseUint(name, 10, 64)
	return paxos.Slot(n), ok && snap && err == nil
}
