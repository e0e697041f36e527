package ondisk

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/chubbycell/chubby/wal/vfs"
)

// Inventory returns in words what a replica's disk has beside the log, in the replica's directory: what each copy of the
// promise register says, its promise and up to which record it vouches for the log, and the slots that the names of the
// snapshots say, in the order of the names.
func Inventory(mem *vfs.Mem, dir string) string {
	var parts, slots []string
	for _, suffix := range Copies {
		name := "promise" + suffix
		value, version, ok := Copy(mem, path.Join(dir, name))
		switch {
		case ok:
			p := ReadPromise(value)
			parts = append(parts, fmt.Sprintf("%s: version %d, promise %v, boot %d, records durable to #%d", name, version, p.Ballot, p.Boot, p.Synced))
		case !has(mem, path.Join(dir, name)):
			parts = append(parts, name+": not there")
		default:
			parts = append(parts, name+": unreadable")
		}
	}
	for _, f := range mem.Files() {
		digits, isSnapshot := strings.CutSuffix(path.Base(f.Name), ".snap")
		if slot, err := strconv.ParseUint(digits, 10, 64); isSnapshot && err == nil && path.Dir(f.Name) == path.Join(dir, "snapshots") {
			slots = append(slots, fmt.Sprint(slot))
		}
	}
	if slots == nil {
		return strings.Join(append(parts, "no snapshot"), "; ")
	}
	return strings.Join(append(parts, "snapshots of slots "+strings.Join(slots, ", ")), "; ")
}

func has(mem *vfs.Mem, name string) bool {
	_, err := mem.Contents(name)
	return err == nil
}
