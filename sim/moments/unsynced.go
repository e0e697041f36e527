package moments

import (
	"fmt"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim"
)

// onDisk is a file of a machine.
type onDisk struct {
	who  sim.Addr
	file string
}

// noteSync takes note of when files were synced. call is the words of a disk call that succeeded, or failed.
func (l *Log) noteSync(who sim.Addr, at time.Duration, call []string) {
	file := onDisk{who, call[1]} // of a call that failed, the name has a colon behind it
	switch call[0] {
	case "sync", "syncdata":
		l.synced[file] = at
	case "create":
		delete(l.synced, file)
	case "rename":
		if before, ok := l.synced[file]; ok && len(call) > 3 {
			l.synced[onDisk{who, call[3]}] = before
		}
	}
}

// unsynced returns in words that a power cut met a file with sectors that were not synced.
func (l *Log) unsynced(who sim.Addr, file, text string) string {
	last := "the file was never synced"
	if at, ok := l.synced[onDisk{who, strings.TrimSuffix(file, ",")}]; ok {
		last = "the last sync of the file was at " + Short(at) + " s"
	}
	return fmt.Sprintf("the power cut finds %s written and not synced; %s", text, last)
}
